//! What a process tells about itself: log lines, health with reasons, metrics, and the plain HTTP
//! server that shows the last two.
//!
//! Nothing here is global except the log subscriber, which can't be otherwise: registries and checks
//! are made by the wiring and passed in. What is worth telling is decided by whoever registers it.

mod bind;
mod check;
mod gate;
mod health;
mod log_filter;
mod log_format;
mod logs;
mod registry;
mod server;

pub use bind::{BindError, bind};
pub use check::Check;
pub use gate::Gate;
pub use health::{Failure, Health, Question};
pub use log_filter::{LogFilter, LogFilterError};
pub use log_format::{LogFormat, UnknownLogFormat};
pub use logs::{LogsAlreadyStarted, start_logs};
pub use registry::process_registry;
pub use server::{router, serve, serve_routes};

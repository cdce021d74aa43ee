//! How a machine gets into its cluster: bootstrap tokens and the user data that carries them.
//!
//! Builds and reads token Secrets and fills user data templates. Writes nothing: creating, renewing and
//! deleting the Secrets is up to `cluster`, and when that happens is decided in `decide`. Time and
//! randomness come in as arguments.

mod issued_token;
mod randomness;
mod template;
mod token;
mod token_id;
mod token_secret;

pub use issued_token::{IssuedToken, TokenSecretError};
pub use randomness::{Randomness, RandomnessError, SystemRandomness};
pub use template::Template;
pub use token::BootstrapToken;
pub use token_id::TokenId;
pub use token_secret::{
    MACHINE_UID_LABEL, TOKEN_NAMESPACE, TOKEN_SECRET_TYPE, TokenOwner, renew_secret, token_secret,
};

//! What autoscalers send, through kubectl, to a real API server with the webhook: the machine that was chosen goes, and nobody
//! else, also when our own writes come between.

mod gardener;
mod offer;
mod upstream;
mod whole;

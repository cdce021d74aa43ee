//! What autoscalers send, word by word, in every order with the controller's own writes: the machine that was chosen goes, and
//! nobody else.

mod choice;
mod disturbed;
mod gardener;
mod odds;
mod pool;
mod sizes;
mod turnstile;
mod upstream;

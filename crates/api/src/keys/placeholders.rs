//! Placeholders in user data that are replaced before a VM is created.

/// The machine's own bootstrap token, `id.secret`.
pub const BOOTSTRAP_TOKEN: &str = "<<BOOTSTRAP_TOKEN>>";

/// The name of the machine.
pub const MACHINE_NAME: &str = "<<MACHINE_NAME>>";

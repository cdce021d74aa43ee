//! The provider `azure` on the wire.

//! The provider `aws` on the wire.

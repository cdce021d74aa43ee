//! The provider `gcp` on the wire.

//! The Rust types against what really comes over the wire: objects as Gardener's controllers write them,
//! anything that the CRDs let through, and the CRDs themselves.

#![expect(clippy::unwrap_used, reason = "the whole crate is a test")]

mod any_object;
mod crd;
mod crd_keeps_gardeners_facts;
mod crd_matches_types;
mod full_objects;
mod golden;
mod kinds;
mod paths;
mod struct_fields;

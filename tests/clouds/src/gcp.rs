//! The stand-in for gcp.

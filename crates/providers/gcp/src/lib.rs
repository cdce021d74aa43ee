//! Provider of gcp.

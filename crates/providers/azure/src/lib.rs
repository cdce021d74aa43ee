//! Provider of azure.

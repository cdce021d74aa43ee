//! Provider of aws.

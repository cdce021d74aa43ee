//! simcloud

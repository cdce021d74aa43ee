//! Stand-ins for clouds.

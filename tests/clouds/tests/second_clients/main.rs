//! The vendors' own clients against our stand-ins.

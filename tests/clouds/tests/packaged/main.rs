//! The packaged controller on each cloud's stand-in.

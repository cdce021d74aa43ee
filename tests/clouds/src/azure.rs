//! The stand-in for azure.

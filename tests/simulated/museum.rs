//! Incidents of other machine managers, each as a test of that name.

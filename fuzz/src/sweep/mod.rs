//! Generates and checks many cases in parallel.

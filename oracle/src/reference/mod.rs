//! Slow answers, read off the definitions.

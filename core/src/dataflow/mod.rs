//! One worklist solver for both directions, and the analyses that run on it.

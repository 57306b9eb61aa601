//! End-to-end tests of Backedge live in `tests/`; this library holds what they share.

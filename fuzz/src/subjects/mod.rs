//! What can be checked: `core`, the deliberately wrong ones, and processes that speak the protocol.

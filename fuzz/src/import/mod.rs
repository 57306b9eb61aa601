//! Other languages read into the IR.

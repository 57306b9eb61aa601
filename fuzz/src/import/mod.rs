//! Other languages read into the IR.

pub mod mir;

//! The solvers under test, and the IR that they share.
//!
//! Reading order: [`ir`] is what a program is, [`cfg`] the one control-flow graph that everything
//! uses, [`dataflow`] the one solver and the analyses that run on it, [`machine`] the code that
//! [`regalloc`] finds registers for, and [`riscv`] encodes. [`destprop`] merges locals that are copied
//! into each other, [`thunks`] structures any graph. `cfg` and `dataflow` know no
//! instruction set: code reaches them through the traits of [`cfg::code`].

pub mod cfg;
pub mod dataflow;
pub mod destprop;
pub mod diagnostic;
pub mod drops;
pub mod entity;
pub mod ir;
pub mod machine;
pub mod regalloc;
pub mod riscv;
pub mod thunks;

//! What makes two findings one: the same check, the same kind, and the same minimized shape.
//!
//! The shape is the program without names, constants, opaque texts and directives. A solver that
//! errs on a loop errs whatever the numbers in it; where they do matter, the minimizer has driven them
//! to the smallest that still fail, and the kind tells the rest. Operations, types, the order of
//! blocks and which local stands where are part of it.

use super::size;
use super::tidy::tidy;
use backedge_oracle::check::Case;

/// The shape of a minimized case as 16 hexadecimal digits, the same on every machine.
pub fn shape_hash(case: &Case) -> String {
    let mut program = case.program.clone();
    tidy(&mut program);
    format!("{:016x}", size::shape(&program))
}

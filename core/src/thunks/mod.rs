//! Thunks: unstructured control flow as values, structured, and lowered to blocks again.
//!
//! Four forms of a function, and the ways between them:
//!
//! ```text
//! blocks --reify--> thunk form --structurize--> structured form --lower--> blocks
//!    ^                  |                                            (also from thunk form)
//!    +-----unreify------+
//! ```
//!
//! - In *thunk form* ([`mod@reify`]) each block is a region that ends in entering a thunk: a target with what
//!   it gets. A region has one way out whatever the graph looks like; the graph follows from data flow.
//! - In *structured form* ([`mod@structurize`]) all is selections and loops. What could not be nested has
//!   become a value: a tag that is matched on later.
//! - [`mod@lower`] makes blocks of either, and takes the tags out again where they are known.
//!
//! Thunk form and structured form are the same data ([`form`]), have a text ([`text`]) and rules
//! ([`mod@validate`]). Between the two lie nested selections of thunks, the thunk switch and the thunk loop
//! ([`Match`]), which can be written, validated and lowered.
//!
//! The example that the papers begin with, a branch to two targets with inputs:
//!
//! ```
//! use backedge_core::ir::text;
//! use backedge_core::thunks::{lower, reify, structurize, text as regions};
//!
//! let graph = "\
//! fn @f(%c: int) -> int {
//! entry:
//!   branch %c, left(1), right
//! left(%x: int):
//!   jump join(%x)
//! right:
//!   jump join(%c)
//! join(%y: int):
//!   return %y
//! }
//! ";
//! let program = text::parse(graph).unwrap();
//! let thunks = reify(&program.functions[0]).unwrap();
//! assert!(regions::print_function(&thunks).contains("\
//!   region entry {
//!     (%t: thunk) = if %c {
//!       %t1: thunk = bind left(1)
//!       yield %t1
//!     } else {
//!       %t2: thunk = bind right
//!       yield %t2
//!     }
//!     enter %t
//!   }
//! "));
//! let structured = structurize(&thunks).unwrap();
//! assert_eq!(regions::print_function(&structured), "\
//! region fn @f(%c: int) -> int {
//!   (%y) = if %c {
//!     %x = const 1
//!     yield %x
//!   } else {
//!     yield %c
//!   }
//!   return %y
//! }
//! ");
//! // Each arm of the branch gives the join what it returns.
//! assert_eq!(lower(&structured).blocks.len(), 2);
//! ```
//!
//! Nothing here recurses, and all of it is linear or nearly so on code that people write: graphs of 100,000 blocks, nests 50,000
//! deep and complete graphs are among the tests.

#[cfg(test)]
mod families;
pub mod form;
pub mod lower;
mod names;
pub mod reify;
mod renumber;
pub mod structurize;
#[cfg(test)]
mod testing;
pub mod text;
pub mod validate;
pub mod walk;

pub use form::{
    Bind, End, Goal, Loop, Match, Node, On, Region, RegionData, RegionFunction, RegionProgram,
    Select,
};
pub use lower::lower;
pub use reify::{Refusal, reify, unreify};
pub use structurize::{structurize, structurize_blocks};
pub use walk::{Step, Walk};

//! The text of the region form.
//!
//! # Grammar
//!
//! What is not defined here is defined in [`ir::text`](crate::ir::text), and so are lines, names,
//! integers, directives and the types of locals.
//!
//! ```text
//! program    = { extern | memory | function | directive }
//! function   = [ "ssa" ] "region" "fn" @name params [ "->" type ] "{" { declaration } body "}"
//! body       = contents | { "region" target "{" contents "}" }
//! target     = name [ params ]
//! contents   = { node } end
//! node       = inst | bind | [ outputs ] select | [ outputs ] loop | outputs match
//! outputs    = "(" [ param { "," param } ] ")" "="
//! bind       = param "=" "bind" ( name | "return" | "resume" ) [ args ]
//! select     = "if" operand "{" contents "}" "else" "{" contents "}"
//!            | "switch" operand { "case" integer "{" contents "}" } "default" "{" contents "}"
//!            | "try_call" [ dest "=" ] @name args "{" contents "}" "unwind" "{" contents "}"
//!            | "try_drop" place "{" contents "}" "unwind" "{" contents "}"
//! loop       = "loop" [ "(" [ param "=" operand { "," param "=" operand } ] ")" ] "{" contents "}"
//! match      = [ "loop" ] "match" %name "case" target "{" contents "}" { "case" target "{" contents "}" }
//! end        = "yield" [ operand { "," operand } ]
//!            | "repeat" operand [ args ] [ "else" args ]
//!            | "return" [ operand ] | "resume" | "unreachable" | "enter" %name
//! ```
//!
//! A body that is a list of regions is thunk form. A region called `return` or `resume` has its name in
//! quotes where it is bound. Text is indented by at most 32 levels.
//!
//! ```
//! use backedge_core::thunks::text;
//!
//! let source = "\
//! region fn @sum(%n: int) -> int {
//!   (%sum) = loop (%i: int = 0, %s: int = 0) {
//!     %s2 = add %s, %i
//!     %i2 = add %i, 1
//!     %more = slt %i2, %n
//!     repeat %more (%i2, %s2) else (%s2)
//!   }
//!   return %sum
//! }
//! ";
//! let program = text::parse(source).unwrap();
//! assert_eq!(text::print(&program), source);
//! ```

pub use crate::ir::text::{
    parse_regions as parse, print_region_function as print_function, print_regions as print,
};

#[cfg(test)]
mod tests;

//! Tapes: what the environment answers in a run, one entry an extern call.
//!
//! A case is a text, so its tapes are directives of it: `;; tape: 3, unwind, 0`, one a run. The
//! parameters of the function that is run take the first entries. `;; registers: 3` says with how many
//! registers the case is to be allocated.

use backedge_core::diagnostic::Diagnostic;
use backedge_core::ir::{Directive, Program};
use backedge_core::machine::reg::{FEWEST_REGISTERS, MOST_REGISTERS};
use std::fmt;

/// What an extern call is answered.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// It returns; one that has no result returns nothing.
    Value(i64),
    /// It unwinds. As a parameter: 0.
    Unwind,
}

/// The answers of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tape(pub Vec<Answer>);

impl Tape {
    /// Reads `3, unwind, 0`.
    ///
    /// # Errors
    /// Names the first entry that is neither an integer of 64 bits nor `unwind`.
    pub fn parse(text: &str) -> Result<Tape, String> {
        if text.trim().is_empty() {
            return Ok(Tape::default());
        }
        let entry = |entry: &str| match entry.trim() {
            "unwind" => Ok(Answer::Unwind),
            number => number.parse().map(Answer::Value).map_err(|_| number.to_owned()),
        };
        text.split(',').map(entry).collect::<Result<_, _>>().map(Tape)
    }
}

impl fmt::Display for Tape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, answer) in self.0.iter().enumerate() {
            f.write_str(if index > 0 { ", " } else { "" })?;
            match answer {
                Answer::Value(value) => write!(f, "{value}")?,
                Answer::Unwind => f.write_str("unwind")?,
            }
        }
        Ok(())
    }
}

/// The key of a tape.
pub const TAPE: &str = "tape";

/// The key of the number of registers.
pub const REGISTERS: &str = "registers";

/// The tapes of a program, in order.
///
/// # Errors
/// At the first directive that can't be read.
pub fn tapes(program: &Program) -> Result<Vec<Tape>, Diagnostic> {
    let read = |directive: &Directive| {
        Tape::parse(&directive.value).map_err(|entry| {
            let message =
                format!("`{entry}` is no entry of a tape: an integer of 64 bits or `unwind`");
            Diagnostic::new("bad-directive", directive.span, message)
        })
    };
    program.directives(TAPE).map(read).collect()
}

/// The number of registers that the program asks for; `None` if it leaves that open.
///
/// # Errors
/// When it is no number, or no function can be allocated with so many.
pub fn registers(program: &Program) -> Result<Option<usize>, Diagnostic> {
    let Some(directive) = program.directives(REGISTERS).next() else { return Ok(None) };
    match directive.value.parse() {
        Ok(count) if (FEWEST_REGISTERS..=MOST_REGISTERS).contains(&count) => Ok(Some(count)),
        _ => {
            let value = &directive.value;
            let message = format!(
                "`{value}` is no number of registers: {FEWEST_REGISTERS} to {MOST_REGISTERS}"
            );
            Err(Diagnostic::new("bad-directive", directive.span, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_prints() {
        for text in ["", "3", "3, unwind, 0", "-9223372036854775808, 9223372036854775807"] {
            assert_eq!(Tape::parse(text).expect("a tape").to_string(), text);
        }
        assert_eq!(Tape::parse("1,,2"), Err(String::new()));
        assert_eq!(Tape::parse("1, x"), Err("x".to_owned()));
        assert_eq!(Tape::parse("9223372036854775808"), Err("9223372036854775808".to_owned()));
    }
}

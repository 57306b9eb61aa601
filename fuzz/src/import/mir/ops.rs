//! Which operations of MIR are operations of the IR: those on 64-bit integers.

use super::body::RawBody;
use backedge_core::ir::{BinaryOp, Local, Op, Operand};

/// How a local's type holds 64 bits.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Word {
    Signed,
    Unsigned,
}

/// Which locals are 64-bit integers.
#[derive(Debug)]
pub(super) struct Words(Vec<Option<Word>>);

impl Words {
    /// Reads the declared types of a body.
    pub(super) fn new(raw: &RawBody<'_>) -> Words {
        let word = |ty: &str| match ty {
            "i64" | "isize" => Some(Word::Signed),
            "u64" | "usize" => Some(Word::Unsigned),
            _ => None,
        };
        Words(raw.decls().map(|decl| word(decl.ty)).collect())
    }

    fn of(&self, local: Local) -> Option<Word> {
        self.0.get(local.as_u32() as usize).copied().flatten()
    }

    /// `NAME(left, right)` assigned to `dest`, if the IR computes the same 64 bits.
    pub(super) fn binary(
        &self,
        name: &str,
        dest: Local,
        left: Operand,
        right: Operand,
    ) -> Option<Op> {
        let word = |operand: Operand| operand.local().map(|local| self.of(local));
        let narrow = |operand: Operand| word(operand) == Some(None);
        let shift = name.starts_with("Sh");
        if narrow(left) || (narrow(right) && !shift) {
            return None;
        }
        let operands = word(left).or_else(|| word(right).filter(|_| !shift)).flatten();
        if let Some(signed) = operands.map(|word| word == Word::Signed)
            && let Some((op, swap)) = comparison(name, signed)
        {
            let [left, right] = if swap { [right, left] } else { [left, right] };
            return Some(Op::Binary(op, left, right));
        }
        let signed = self.of(dest)? == Word::Signed;
        Some(Op::Binary(arithmetic(name, signed)?, left, right))
    }
}

/// The comparison, and whether its operands change places.
fn comparison(name: &str, signed: bool) -> Option<(BinaryOp, bool)> {
    let less = if signed { BinaryOp::Slt } else { BinaryOp::Ult };
    let less_or_equal = if signed { BinaryOp::Sle } else { BinaryOp::Ule };
    Some(match name {
        "Eq" => (BinaryOp::Eq, false),
        "Ne" => (BinaryOp::Ne, false),
        "Lt" => (less, false),
        "Le" => (less_or_equal, false),
        "Gt" => (less, true),
        "Ge" => (less_or_equal, true),
        _ => return None,
    })
}

fn arithmetic(name: &str, signed: bool) -> Option<BinaryOp> {
    let pick = |if_signed, if_unsigned| if signed { if_signed } else { if_unsigned };
    Some(match name.strip_suffix("Unchecked").unwrap_or(name) {
        "Add" => BinaryOp::Add,
        "Sub" => BinaryOp::Sub,
        "Mul" => BinaryOp::Mul,
        "Div" => pick(BinaryOp::Sdiv, BinaryOp::Udiv),
        "Rem" => pick(BinaryOp::Srem, BinaryOp::Urem),
        "BitAnd" => BinaryOp::And,
        "BitOr" => BinaryOp::Or,
        "BitXor" => BinaryOp::Xor,
        "Shl" => BinaryOp::Shl,
        "Shr" => pick(BinaryOp::Ashr, BinaryOp::Lshr),
        _ => return None,
    })
}

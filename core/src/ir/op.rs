//! Binary operations: names and meaning.

/// A binary operation on 64-bit integers. None is undefined for any operands.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Sdiv,
    Udiv,
    Srem,
    Urem,
    And,
    Or,
    Xor,
    Shl,
    Lshr,
    Ashr,
    Eq,
    Ne,
    Slt,
    Sle,
    Ult,
    Ule,
}

impl BinaryOp {
    /// Every operation, in the order of the manual.
    pub const ALL: [BinaryOp; 19] = {
        use BinaryOp::*;
        [
            Add, Sub, Mul, Sdiv, Udiv, Srem, Urem, And, Or, Xor, Shl, Lshr, Ashr, Eq, Ne, Slt, Sle,
            Ult, Ule,
        ]
    };

    /// The name in the text.
    pub fn name(self) -> &'static str {
        use BinaryOp::*;
        match self {
            Add => "add",
            Sub => "sub",
            Mul => "mul",
            Sdiv => "sdiv",
            Udiv => "udiv",
            Srem => "srem",
            Urem => "urem",
            And => "and",
            Or => "or",
            Xor => "xor",
            Shl => "shl",
            Lshr => "lshr",
            Ashr => "ashr",
            Eq => "eq",
            Ne => "ne",
            Slt => "slt",
            Sle => "sle",
            Ult => "ult",
            Ule => "ule",
        }
    }

    /// The operation with this name.
    pub fn from_name(name: &str) -> Option<BinaryOp> {
        BinaryOp::ALL.into_iter().find(|op| op.name() == name)
    }
}

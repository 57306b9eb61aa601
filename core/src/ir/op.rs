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
        use BinaryOp::*;
        Some(match name {
            "add" => Add,
            "sub" => Sub,
            "mul" => Mul,
            "sdiv" => Sdiv,
            "udiv" => Udiv,
            "srem" => Srem,
            "urem" => Urem,
            "and" => And,
            "or" => Or,
            "xor" => Xor,
            "shl" => Shl,
            "lshr" => Lshr,
            "ashr" => Ashr,
            "eq" => Eq,
            "ne" => Ne,
            "slt" => Slt,
            "sle" => Sle,
            "ult" => Ult,
            "ule" => Ule,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::BinaryOp;

    #[test]
    fn every_name_names_its_operation() {
        for op in BinaryOp::ALL {
            assert_eq!(BinaryOp::from_name(op.name()), Some(op));
        }
        assert_eq!(BinaryOp::from_name("div"), None);
    }
}

//! Machine IR as text, to read: one instruction a line, results first, implicit operands in braces.

use super::{
    Access, Alu, AluImm, Cond, FrameSlot, MFunction, MInst, MOp, MTarget, MTerm, MTermKind,
    RegOperand,
};
use std::fmt;

impl fmt::Display for MFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}:", self.name)?;
        if self.spill_bytes > 0 {
            write!(f, " {} bytes spilled", self.spill_bytes)?;
        }
        if !self.saved.is_empty() {
            write!(f, " saves {:?}", self.saved)?;
        }
        f.write_str("\n")?;
        for block in self.blocks.values() {
            f.write_str(&block.name)?;
            if !block.params.is_empty() {
                f.write_str("(")?;
                list(f, &block.params)?;
                f.write_str(")")?;
            }
            f.write_str(":\n")?;
            for inst in &block.insts {
                writeln!(f, "  {inst}")?;
            }
            writeln!(f, "  {}", Terminator(self, &block.term))?;
        }
        Ok(())
    }
}

impl fmt::Display for MInst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let explicit = |operand: &&RegOperand| !operand.implicit;
        let defs: Vec<_> = self.regs.iter().filter(explicit).filter(|of| of.is_def()).collect();
        if !defs.is_empty() {
            list(f, defs.iter().map(|of| Def(**of)))?;
            f.write_str(" = ")?;
        }
        write_op(f, &self.op)?;
        let uses: Vec<_> = self.regs.iter().filter(explicit).filter(|of| !of.is_def()).collect();
        if !uses.is_empty() {
            f.write_str(" ")?;
            list(f, uses.iter().map(|of| of.reg))?;
        }
        write_immediate(f, &self.op, !uses.is_empty())?;
        write_implicit(f, &self.regs)
    }
}

/// A result; one that is written early has a mark.
struct Def(RegOperand);

impl fmt::Display for Def {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.0.access == Access::EarlyDef { "!" } else { "" }, self.0.reg)
    }
}

fn write_op(f: &mut fmt::Formatter<'_>, op: &MOp) -> fmt::Result {
    match op {
        MOp::Alu(op) => f.write_str(op.name()),
        MOp::AluImm(op, _) => f.write_str(op.name()),
        MOp::DivRem { signed: true } => f.write_str("div_rem"),
        MOp::DivRem { signed: false } => f.write_str("divu_remu"),
        MOp::LoadImm(_) => f.write_str("li"),
        MOp::Move => f.write_str("mv"),
        MOp::Select => f.write_str("select"),
        MOp::MemoryAddress { .. } => f.write_str("address"),
        MOp::Load => f.write_str("ld"),
        MOp::Store => f.write_str("sd"),
        MOp::FrameLoad(slot) => write!(f, "ld {slot}"),
        MOp::FrameStore(slot) => write!(f, "sd {slot}"),
        MOp::Call { callee, catches } => {
            write!(f, "{} @{callee}", if *catches { "try_call" } else { "call" })
        }
    }
}

/// What stands behind the registers.
fn write_immediate(f: &mut fmt::Formatter<'_>, op: &MOp, comma: bool) -> fmt::Result {
    let comma = if comma { "," } else { "" };
    match op {
        MOp::AluImm(_, value) => write!(f, "{comma} {value}"),
        MOp::LoadImm(value) => write!(f, "{comma} {value}"),
        MOp::MemoryAddress { words } => write!(f, "{comma} modulo {words}"),
        _ => Ok(()),
    }
}

fn write_implicit(f: &mut fmt::Formatter<'_>, regs: &[RegOperand]) -> fmt::Result {
    let implicit = || regs.iter().filter(|of| of.implicit);
    if implicit().next().is_none() {
        return Ok(());
    }
    f.write_str(" {")?;
    list(f, implicit().filter(|of| !of.is_def()).map(|of| of.reg))?;
    if implicit().any(|of| of.is_def()) {
        f.write_str(" -> ")?;
        list(f, implicit().filter(|of| of.is_def()).map(|of| of.reg))?;
    }
    f.write_str("}")
}

/// A terminator, with the names of the blocks that it goes to.
struct Terminator<'f>(&'f MFunction, &'f MTerm);

impl Terminator<'_> {
    fn target(&self, f: &mut fmt::Formatter<'_>, to: &MTarget) -> fmt::Result {
        f.write_str(&self.0.blocks[to.block].name)?;
        if to.args.is_empty() {
            return Ok(());
        }
        f.write_str("(")?;
        list(f, &to.args)?;
        f.write_str(")")
    }
}

impl fmt::Display for Terminator<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let regs = || self.1.regs.iter().filter(|of| !of.implicit).map(|of| of.reg);
        match &self.1.kind {
            MTermKind::Jump(to) => {
                f.write_str("j ")?;
                self.target(f, to)?;
            }
            MTermKind::Branch { cond, then_to, else_to } => {
                write!(f, "b{} ", cond.name())?;
                list(f, regs())?;
                f.write_str(", ")?;
                self.target(f, then_to)?;
                f.write_str(", ")?;
                self.target(f, else_to)?;
            }
            MTermKind::Switch { default, cases } => {
                f.write_str("switch ")?;
                list(f, regs())?;
                f.write_str(", ")?;
                self.target(f, default)?;
                for (key, to) in cases {
                    write!(f, ", {key}: ")?;
                    self.target(f, to)?;
                }
            }
            MTermKind::Return => f.write_str("ret")?,
            MTermKind::Unreachable => f.write_str("unreachable")?,
        }
        write_implicit(f, &self.1.regs)
    }
}

impl fmt::Display for FrameSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameSlot::Spill(offset) => write!(f, "[{offset}]"),
            FrameSlot::Incoming(word) => write!(f, "incoming[{word}]"),
            FrameSlot::Outgoing(word) => write!(f, "outgoing[{word}]"),
        }
    }
}

impl Alu {
    /// The mnemonic.
    pub fn name(self) -> &'static str {
        match self {
            Alu::Add => "add",
            Alu::Sub => "sub",
            Alu::Mul => "mul",
            Alu::Div => "div",
            Alu::Divu => "divu",
            Alu::Rem => "rem",
            Alu::Remu => "remu",
            Alu::And => "and",
            Alu::Or => "or",
            Alu::Xor => "xor",
            Alu::Sll => "sll",
            Alu::Srl => "srl",
            Alu::Sra => "sra",
            Alu::Slt => "slt",
            Alu::Sltu => "sltu",
        }
    }
}

impl AluImm {
    /// The mnemonic.
    pub fn name(self) -> &'static str {
        match self {
            AluImm::Addi => "addi",
            AluImm::Andi => "andi",
            AluImm::Ori => "ori",
            AluImm::Xori => "xori",
            AluImm::Slti => "slti",
            AluImm::Sltiu => "sltiu",
            AluImm::Slli => "slli",
            AluImm::Srli => "srli",
            AluImm::Srai => "srai",
        }
    }
}

impl Cond {
    /// The mnemonic, without the `b` for branch.
    pub fn name(self) -> &'static str {
        match self {
            Cond::Eq => "eq",
            Cond::Ne => "ne",
            Cond::Lt => "lt",
            Cond::Ge => "ge",
            Cond::Ltu => "ltu",
            Cond::Geu => "geu",
        }
    }
}

fn list(
    f: &mut fmt::Formatter<'_>,
    items: impl IntoIterator<Item = impl fmt::Display>,
) -> fmt::Result {
    for (index, item) in items.into_iter().enumerate() {
        write!(f, "{}{item}", if index > 0 { ", " } else { "" })?;
    }
    Ok(())
}

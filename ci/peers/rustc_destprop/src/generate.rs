//! Random functions as custom MIR, full of copies.
//!
//! Every local has a value from the start.
//! What is read before it is assigned, which has no meaning, is live at the entry, where a parameter of
//! the function is written; ours keeps the two apart, and rustc does not.

use std::fmt::Write;

struct Bits(u64);

impl Bits {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }
}

/// All cases as one crate.
pub(crate) fn program(cases: &[String]) -> String {
    let mut text = String::from(
        "#![feature(custom_mir, core_intrinsics)]\n#![allow(internal_features, dead_code, unused)]\n\
         #![crate_type = \"lib\"]\nuse core::intrinsics::mir::*;\n\
         #[inline(never)] pub fn g(a: u64) -> u64 { a + 1 }\n",
    );
    cases.iter().for_each(|case| text += case);
    text
}

/// The function of a seed.
pub(crate) fn case(seed: u64) -> String {
    let mut bits = Bits(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    bits.below(2);
    let params = bits.below(3);
    let locals = params + 3 + bits.below(14);
    let blocks = 1 + bits.below(8);
    let mut draw = Draw { bits, text: String::new(), params, locals, blocks };
    (0..blocks).for_each(|block| draw.block(block));
    let name = format!("f{seed}");
    let mut mir =
        format!("#[custom_mir(dialect = \"runtime\", phase = \"initial\")]\npub fn {name}(");
    (0..params).for_each(|at| _ = write!(mir, "v{at}: u64, "));
    mir += ") -> u64 {\n    mir! {\n";
    (params..locals).for_each(|at| _ = writeln!(mir, "        let v{at}: u64;"));
    mir += &draw.text;
    mir += "    }\n}\n";
    mir
}

struct Draw {
    bits: Bits,
    text: String,
    params: usize,
    locals: usize,
    blocks: usize,
}

impl Draw {
    fn local(&mut self) -> usize {
        self.bits.below(self.locals)
    }

    /// A block, but not the first, which nothing may lead to.
    fn target(&mut self) -> usize {
        1 + self.bits.below(self.blocks - 1)
    }

    fn block(&mut self, block: usize) {
        match block {
            0 => {
                self.text += "        {\n";
                let others = self.params..self.locals;
                others.for_each(|at| _ = writeln!(self.text, "            v{at} = {at};"));
            }
            number => _ = writeln!(self.text, "        b{number} = {{"),
        }
        for _ in 0..self.bits.below(6) {
            let (dest, a, b) = (self.local(), self.local(), self.local());
            let _ = match self.bits.below(8) {
                0 => writeln!(self.text, "            v{dest} = 7;"),
                1 => writeln!(self.text, "            v{dest} = v{a} ^ v{b};"),
                2 => writeln!(self.text, "            v{dest} = v{a} + 1;"),
                _ => writeln!(self.text, "            v{dest} = v{a};"),
            };
        }
        let end = self.end();
        let _ = writeln!(self.text, "            {end}\n        }}");
    }

    fn end(&mut self) -> String {
        let kind = if self.blocks == 1 { 0 } else { self.bits.below(7) };
        let (a, b) = (self.local(), self.local());
        match kind {
            0 if self.bits.below(2) == 0 => format!("RET = v{a};\n            Return()"),
            0 => format!("RET = v{a} ^ 1;\n            Return()"),
            1 | 2 => format!("Goto(b{})", self.target()),
            3 => format!("Call(v{a} = g(v{b}), ReturnTo(b{}), UnwindContinue())", self.target()),
            _ => format!("match v{a} {{ 0 => b{}, _ => b{} }}", self.target(), self.target()),
        }
    }
}

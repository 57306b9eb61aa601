//! The function that rustc's pass saw, in our IR, told so that our pass has the choices that rustc's has.
//!
//! Every local is an integer: what has drop glue is elaborated by then, and a move leaves nothing behind that
//! is dropped. The result is a parameter, since it can't be renamed there. A copy of which one local is
//! borrowed is written in two steps, which neither is a copy nor reads and writes at once: rustc does not try
//! it, since such a local may be read and written where nobody sees it. What is dropped counts as borrowed:
//! its destructor gets a pointer to it.

use crate::dumps::{Dumps, copied, for_each_line, number};
use backedge::import::mir;
use backedge_core::dataflow::ValueSet;
use backedge_core::ir::{
    BlockData, Function, Inst, Local, Op, Opaque, Operand, Place, TerminatorKind, Type,
};
use smallvec::smallvec;
use std::collections::{BTreeMap, BTreeSet};

/// A function, and what rustc does not try in it.
pub(crate) struct Body {
    pub(crate) function: Function,
    /// By local: its number in MIR; none of what the reader put in.
    pub(crate) numbers: Vec<Option<usize>>,
    /// Locals that can't be renamed.
    pub(crate) required: BTreeSet<usize>,
    /// How many copies are of borrowed locals.
    pub(crate) borrowed: usize,
    /// By where the line starts: destination and source of each copy of whole locals.
    copies: BTreeMap<u32, [usize; 2]>,
}

impl Body {
    /// Reads the dump before the pass.
    pub(crate) fn read(dumps: &Dumps) -> Result<Body, String> {
        let imported = mir::read(dumps.text.as_bytes());
        if let Some(why) = imported.diagnostics.first() {
            return Err(format!("it can't be read: {}", why.message));
        }
        let function =
            imported.program.functions.into_iter().next().ok_or("it holds no function")?;
        let numbers = function.locals.values().map(|data| number(data.name.strip_prefix('_')?));
        let numbers: Vec<Option<usize>> = numbers.collect();
        let params = function.params.iter().filter_map(|param| numbers[param.as_u32() as usize]);
        let required = params.chain([0]).collect();
        let mut copies = BTreeMap::new();
        for_each_line(&dumps.text, |_, at, line| {
            copies.extend(copied(line).map(|pair| (at as u32, pair)));
        });
        let mut body = Body { function, numbers, required, borrowed: 0, copies };
        body.tell(dumps);
        Ok(body)
    }

    /// The numbers of a set.
    pub(crate) fn set(&self, values: ValueSet<'_>) -> BTreeSet<usize> {
        values.iter().filter_map(|value| self.numbers[value.as_u32() as usize]).collect()
    }

    /// Whether the instruction comes of a copy, tried or not.
    pub(crate) fn is_copy_line(&self, inst: &Inst) -> bool {
        self.copies.contains_key(&inst.span.start)
    }

    fn tell(&mut self, dumps: &Dumps) {
        let borrowed = borrowed(&dumps.before);
        let numbered = self.function.locals.keys().zip(&self.numbers);
        let local: BTreeMap<usize, Local> =
            numbered.filter_map(|(local, number)| Some(((*number)?, local))).collect();
        for data in self.function.locals.values_mut() {
            data.ty = Type::Int;
        }
        for data in self.function.blocks.values_mut() {
            let mut insts = Vec::new();
            for inst in data.insts.drain(..) {
                let Some(pair) = self.copies.get(&inst.span.start) else {
                    insts.push(without_owned(inst));
                    continue;
                };
                let [dest, source] = pair.map(|number| local[&number]);
                let is_tried = !pair.iter().any(|number| borrowed.contains(number));
                self.borrowed += usize::from(!is_tried);
                insts.extend(copy(dest, source, is_tried).into_iter().map(|(dest, op)| Inst {
                    dest,
                    op,
                    span: inst.span,
                }));
            }
            data.insts = insts;
            without_drop(data);
        }
        self.function.params.extend(local.get(&0));
    }
}

/// A copy, or two steps that do the same.
fn copy(dest: Local, source: Local, is_tried: bool) -> Vec<(Option<Place>, Op)> {
    if is_tried {
        return vec![(Some(Place::from(dest)), Op::Copy(Operand::Local(source)))];
    }
    let reads = Opaque { uses: smallvec![source], ..opaque() };
    let writes = Opaque { defs: smallvec![dest], ..opaque() };
    [reads, writes].map(|step| (None, Op::Opaque(Box::new(step)))).into()
}

/// A drop that may unwind reads, and goes one of two ways.
fn without_drop(data: &mut BlockData) {
    let TerminatorKind::TryDrop { place, normal, unwind } = &data.term.kind else { return };
    let read = Opaque { uses: smallvec![place.local], ..opaque() };
    let inst = Inst { dest: None, op: Op::Opaque(Box::new(read)), span: data.term.span };
    let [then_to, else_to] = [normal.clone(), unwind.clone()];
    data.insts.push(inst);
    data.term.kind = TerminatorKind::Branch { cond: Operand::Const(0), then_to, else_to };
}

fn opaque() -> Opaque {
    Opaque { text: "".into(), defs: smallvec![], uses: smallvec![], partial: smallvec![] }
}

/// The instruction, if it is about an owned value, as one that reads and writes the same.
fn without_owned(inst: Inst) -> Inst {
    let Inst { mut dest, op, span } = inst;
    let read = match op {
        Op::Move(from) => from,
        Op::Drop(dropped) | Op::Destroy(dropped) => dropped,
        op => return Inst { dest, op, span },
    };
    let mut does = Opaque { uses: smallvec![read.local], ..opaque() };
    if let Some(place) = dest.take() {
        match place.is_whole() {
            true => does.defs.push(place.local),
            false => does.partial.push(place.local),
        }
    }
    Inst { dest: None, op: Op::Opaque(Box::new(does)), span }
}

/// Locals of which there are pointers.
fn borrowed(blocks: &[Vec<String>]) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for line in blocks.iter().flatten() {
        let places = line.match_indices('&').map(|(at, _)| &line[at + 1..]);
        let dropped = line.strip_prefix("drop(");
        for mut place in places.chain(dropped) {
            for word in ["raw ", "fake ", "shallow ", "const ", "mut "] {
                place = place.strip_prefix(word).unwrap_or(place);
            }
            let base = place.trim_start_matches(['(', '*']);
            let is_behind_pointer = place[..place.len() - base.len()].contains('*');
            if !is_behind_pointer {
                found.extend(base.strip_prefix('_').and_then(number));
            }
        }
    }
    found
}

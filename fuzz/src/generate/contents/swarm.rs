//! What may occur in a case: drawn once, so that cases differ from one another more than they would
//! if each drew from everything (Groce et al., "Swarm Testing", 2012).

use super::types::Ty;
use crate::generate::draw::{Draw, scale};
use backedge_core::ir::BinaryOp;

/// A kind of instruction.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Const,
    Copy,
    Select,
    Binary(BinaryOp),
    Load,
    Store,
    Call,
    New,
    Move,
    Drop,
    Destroy,
    Bind,
    Opaque,
}

/// The choices of one case.
#[derive(Clone, Debug)]
pub(in crate::generate) struct Swarm {
    /// Whether the case can be run: no use of what may not be assigned or may be moved out, no thunks, and
    /// nothing of another language.
    pub(in crate::generate) runnable: bool,
    /// Whether functions of such a case may call one another as they like.
    pub(super) recursive: bool,
    /// The kinds of instructions, at least one; as often as named.
    pub(super) kinds: Vec<Kind>,
    /// Out of 256: how often a block ends before a further instruction. Not 0.
    pub(super) stop: u8,
    /// Whether the functions are in SSA form.
    pub(super) ssa: bool,
    /// How many integer locals a mutable function has besides the parameters of its blocks.
    pub(super) ints: usize,
    /// How many locals of each owned type a mutable function has. 0: no owned values at all.
    pub(super) owned: usize,
    /// Whether there are thunks. Never in SSA form.
    pub(super) thunks: bool,
    /// Each block writes a few of the integers only, so that others stay live across it.
    pub(super) windowed: bool,
    /// Out of 256: how often an instruction writes what it reads. Only in mutable functions.
    pub(super) updates: u8,
    /// Out of 256: how often a block has one more parameter.
    pub(super) phis: u8,
    /// Out of 256: how often the argument for a parameter is another parameter of the same block.
    pub(super) swaps: u8,
    /// Out of 256: how often an operand is a constant.
    pub(super) consts: u8,
    /// Words of memory; `None` where nothing loads or stores.
    pub(super) memory: Option<u64>,
}

impl Swarm {
    /// Draws the choices. A tiny case has short blocks.
    pub(in crate::generate) fn draw(draw: &mut Draw, is_tiny: bool) -> Swarm {
        let [form, stop, ints, owned, window, updates, phis, swaps, consts, memory] = draw.array();
        // The low bit decides nothing else of much weight.
        let runnable = consts & 1 == 1;
        let least = if runnable { 192 } else { 144 };
        let owned = if owned >= least { 1 + scale(owned << 2, 3) } else { 0 };
        // What can be run may have to assign a local once more.
        let ssa = form >= 160 && !(runnable && owned > 0);
        let thunks = !ssa && !runnable && owned % 2 == 1 && form & 8 == 8;
        let kinds = draw_kinds(draw, owned > 0, thunks, runnable);
        let touches_memory = kinds.contains(&Kind::Load) || kinds.contains(&Kind::Store);
        Swarm {
            runnable,
            recursive: updates & 7 == 7,
            stop: if is_tiny { 72 } else { [54, 34, 27, 22, 18, 13][scale(stop, 6)] },
            ssa,
            ints: 1 + scale(ints, 6) * scale(ints << 3, 7),
            owned,
            thunks,
            windowed: window >= 128,
            updates: updates / 4,
            phis: [0, 40, 80, 120, 160][scale(phis, 5)],
            swaps: swaps / 2,
            consts: 8 + consts / 4,
            memory: touches_memory.then(|| 1 << scale(memory, 9)),
            kinds,
        }
    }

    /// Whether there are owned values.
    #[cfg(test)]
    pub(in crate::generate) fn owns(&self) -> bool {
        self.owned > 0
    }

    /// The owned types of the case.
    pub(super) fn owned_types(&self) -> &'static [Ty] {
        if self.owned > 0 { &Ty::OWNED } else { &[] }
    }
}

/// Half of what there is, but no more binary operations than half of what else there is, and one.
fn draw_kinds(draw: &mut Draw, owned: bool, thunks: bool, runnable: bool) -> Vec<Kind> {
    const PLAIN: [Kind; 7] =
        [Kind::Const, Kind::Copy, Kind::Select, Kind::Load, Kind::Store, Kind::Call, Kind::Opaque];
    const OWNED: [Kind; 4] = [Kind::New, Kind::Move, Kind::Drop, Kind::Destroy];
    let [plain, on_owned, first, rest @ ..] = draw.array::<7>();
    let binary = u32::from_le_bytes(rest);
    let mut kinds = Vec::with_capacity(32);
    let on = |mask: u32, index: usize| mask >> index & 1 == 1;
    // What another language does can't be run; it is the last of the plain kinds.
    let known = if runnable { 6 } else { 7 };
    kinds.extend((0..known).filter(|&index| on(plain as u32, index)).map(|index| PLAIN[index]));
    if owned {
        // A case with owned values has them made and dropped as well.
        kinds.extend([Kind::New, Kind::Drop]);
        kinds.extend((0..4).filter(|&i| on(on_owned as u32, i)).map(|index| OWNED[index]));
    }
    if thunks {
        kinds.push(Kind::Bind);
    }
    let wanted = 1 + kinds.len() / 2;
    let first = scale(first, BinaryOp::ALL.len());
    let ops = BinaryOp::ALL.into_iter().cycle().skip(first).take(BinaryOp::ALL.len());
    let ops = ops.enumerate().filter(|&(index, _)| on(binary, index));
    kinds.extend(ops.map(|(_, op)| Kind::Binary(op)).take(wanted));
    if kinds.is_empty() {
        kinds.push(Kind::Binary(BinaryOp::Add));
    }
    kinds
}

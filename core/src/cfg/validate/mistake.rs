//! What can be wrong, and where.

use smol_str::SmolStr;

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct Mistake {
    /// What is wrong.
    pub kind: MistakeKind,
    /// Where.
    pub at: Site,
}

/// A place in an outline, by position.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Site {
    /// The code as a whole.
    Code,
    /// A block.
    Block(usize),
    /// A phi of a block.
    Phi(usize, usize),
    /// An instruction of a block.
    Inst(usize, usize),
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MistakeKind {
    /// Control enters nowhere.
    #[error("no block is the entry")]
    NoEntry,
    /// Control enters at a block before.
    #[error("a second entry; the first is `{first}`")]
    SecondEntry {
        /// The first entry.
        first: SmolStr,
    },
    /// A block before has the name.
    #[error("a second block `{name}`")]
    DuplicateBlock {
        /// The name.
        name: SmolStr,
    },
    /// A target, a predecessor or an input that is no block.
    #[error("there is no block `{target}`")]
    DanglingTarget {
        /// The name that no block has.
        target: SmolStr,
    },
    /// Nothing ends the block, and nothing follows it.
    #[error("control runs off the end of `{block}`")]
    MissingTerminator {
        /// The block.
        block: SmolStr,
    },
    /// A terminator with something behind it.
    #[error("a terminator that is not the last instruction of `{block}`")]
    TerminatorNotLast {
        /// The block.
        block: SmolStr,
    },
    /// A block that ends with an unconditional jump or a return is said to fall through.
    #[error("`{block}` never falls through, but is said to fall into `{into}`")]
    FallthroughAfterJump {
        /// The block.
        block: SmolStr,
        /// Where it is said to fall.
        into: SmolStr,
    },
    /// One instruction in two places.
    #[error("an instruction of `{first}` a second time")]
    InstructionInTwoBlocks {
        /// The block that has it first.
        first: SmolStr,
    },
    /// An edge that the target's list of predecessors lacks.
    #[error("`{pred}` goes to `{block}`, which does not list it as a predecessor")]
    UnlistedPredecessor {
        /// The block with the list.
        block: SmolStr,
        /// What is missing.
        pred: SmolStr,
    },
    /// A predecessor without an edge.
    #[error("`{block}` lists `{pred}` as a predecessor, which does not go there")]
    ExtraPredecessor {
        /// The block with the list.
        block: SmolStr,
        /// What should not be there.
        pred: SmolStr,
    },
    /// An edge that the source's list of successors lacks.
    #[error("`{block}` goes to `{succ}`, but does not list it as a successor")]
    UnlistedSuccessor {
        /// The block with the list.
        block: SmolStr,
        /// What is missing.
        succ: SmolStr,
    },
    /// A successor without an edge.
    #[error("`{block}` lists `{succ}` as a successor, but does not go there")]
    ExtraSuccessor {
        /// The block with the list.
        block: SmolStr,
        /// What should not be there.
        succ: SmolStr,
    },
    /// A predecessor that a phi has no input for.
    #[error("phi `{phi}` has no input for predecessor `{pred}`")]
    MissingPhiInput {
        /// The phi.
        phi: SmolStr,
        /// The predecessor.
        pred: SmolStr,
    },
    /// An input for a block that is no predecessor.
    #[error("phi `{phi}` has an input for `{pred}`, which is no predecessor")]
    ExtraPhiInput {
        /// The phi.
        phi: SmolStr,
        /// The block.
        pred: SmolStr,
    },
    /// Two inputs for one predecessor.
    #[error("phi `{phi}` has a second input for `{pred}`")]
    DuplicatePhiInput {
        /// The phi.
        phi: SmolStr,
        /// The predecessor.
        pred: SmolStr,
    },
    /// A phi behind an instruction.
    #[error("phi `{phi}` stands behind an instruction")]
    LatePhi {
        /// The phi.
        phi: SmolStr,
    },
}

impl MistakeKind {
    /// A stable name for the kind of mistake.
    pub fn code(&self) -> &'static str {
        match self {
            MistakeKind::NoEntry => "no-entry",
            MistakeKind::SecondEntry { .. } => "second-entry",
            MistakeKind::DuplicateBlock { .. } => "duplicate-block",
            MistakeKind::DanglingTarget { .. } => "dangling-target",
            MistakeKind::MissingTerminator { .. } => "missing-terminator",
            MistakeKind::TerminatorNotLast { .. } => "terminator-not-last",
            MistakeKind::FallthroughAfterJump { .. } => "fallthrough-after-jump",
            MistakeKind::InstructionInTwoBlocks { .. } => "instruction-in-two-blocks",
            MistakeKind::UnlistedPredecessor { .. } => "unlisted-predecessor",
            MistakeKind::ExtraPredecessor { .. } => "extra-predecessor",
            MistakeKind::UnlistedSuccessor { .. } => "unlisted-successor",
            MistakeKind::ExtraSuccessor { .. } => "extra-successor",
            MistakeKind::MissingPhiInput { .. } => "phi-missing-predecessor",
            MistakeKind::ExtraPhiInput { .. } => "phi-extra-predecessor",
            MistakeKind::DuplicatePhiInput { .. } => "phi-duplicate-predecessor",
            MistakeKind::LatePhi { .. } => "phi-not-at-head",
        }
    }
}

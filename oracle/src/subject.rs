//! A subject is a solver under test: one small trait an analysis, and [`Subject`] that gathers them.

use backedge_core::ir::{Block, Function, Local, Program};
use backedge_core::machine::MFunction;
use backedge_core::regalloc::{Allocation, Registers};
use backedge_core::thunks::form::RegionFunction;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Why a subject gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// It says that it does not handle this input.
    #[error("skipped: {0}")]
    Skip(String),
    /// It says that it failed.
    #[error("reported an error: {0}")]
    Error(String),
    /// It panicked.
    #[error("panicked: {0}")]
    Panic(String),
    /// Its process died.
    #[error("died: {0}")]
    Crash(String),
    /// It did not answer in time.
    #[error("did not answer within {0:?}")]
    Timeout(Duration),
    /// What it answered can't be understood.
    #[error("answered nonsense: {0}")]
    Nonsense(String),
}

/// A sorted set of locals, without duplicates.
pub type Locals = Vec<Local>;

/// What is live where. Everything but `live_in` is optional, and judged when given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LivenessAnswer {
    /// By block; `None` where the subject says nothing of the block.
    pub blocks: Vec<Option<BlockLiveness>>,
    /// Live sets of edges.
    pub edges: Option<Vec<EdgeLiveness>>,
    /// By block, then by instruction (terminator last): what is live after it.
    pub after: Option<Vec<Vec<Locals>>>,
    /// By block, then by instruction (terminator last): what is live before it.
    pub before: Option<Vec<Vec<Locals>>>,
}

/// What is live at the ends of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockLiveness {
    /// After the block's parameters are bound.
    pub live_in: Locals,
    /// The union over the edges out of the block.
    pub live_out: Option<Locals>,
}

/// What is live on an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeLiveness {
    /// Where the edge starts.
    pub from: Block,
    /// Where it ends.
    pub to: Block,
    /// Which successor of `from` it is; `None` for a subject that knows edges by their ends alone.
    pub slot: Option<u32>,
    /// What is live on it.
    pub live: Locals,
}

/// Solves liveness of one function.
pub trait LivenessSolver {
    /// What is live where in `function`.
    ///
    /// # Errors
    /// When there is no answer.
    fn liveness(&mut self, function: &Function) -> Result<LivenessAnswer, NoAnswer>;
}

/// The shape of a graph. Everything but `edges` is optional, and judged when given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CfgAnswer {
    /// Every edge, once a slot.
    pub edges: Vec<(Block, Block)>,
    /// Blocks that the entry reaches.
    pub reachable: Option<BTreeSet<Block>>,
    /// A postorder of the reachable blocks from the entry.
    pub postorder: Option<Vec<Block>>,
    /// The immediate dominator of each reachable block but the entry.
    pub idom: Option<Vec<(Block, Block)>>,
    /// Natural loops: one a header, however many back edges it has.
    pub loops: Option<Vec<LoopAnswer>>,
    /// Whether the part that the entry reaches is reducible.
    pub reducible: Option<bool>,
}

/// A natural loop: the header with all blocks that reach one of its back edges without passing it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoopAnswer {
    /// The block that dominates the others.
    pub header: Block,
    /// All blocks, the header among them.
    pub blocks: BTreeSet<Block>,
}

/// Reads the graph of one function.
pub trait CfgSolver {
    /// The shape of `function`.
    ///
    /// # Errors
    /// When there is no answer.
    fn cfg(&mut self, function: &Function) -> Result<CfgAnswer, NoAnswer>;
}

/// What a local holds at a point, over all runs.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Known {
    /// Nothing: it is assigned on no way there.
    #[default]
    Undefined,
    /// This, wherever it is assigned.
    Constant(i64),
    /// Perhaps another value in another run; also of whatever is no integer.
    Overdefined,
}

/// What is known where, by local; `None` where control never gets.
pub type KnownLocals = Option<Vec<Known>>;

/// Constants of a function. Everything but `entry` is optional, and judged when given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConstantsAnswer {
    /// By block: where it starts, its parameters bound.
    pub entry: Vec<KnownLocals>,
    /// By block: at its end, before an edge is taken.
    pub exit: Option<Vec<KnownLocals>>,
    /// Edges that control may take, by block and slot.
    pub edges: Option<BTreeSet<(Block, u32)>>,
    /// Instructions that do nothing but compute a constant and are none as they stand, with the value.
    pub foldable: Option<BTreeSet<(Block, usize, i64)>>,
    /// Branches and switches with several ways, of which control can take but one: by block and slot.
    pub decided: Option<BTreeSet<(Block, u32)>>,
}

/// Finds the constants of one function.
pub trait ConstantSolver {
    /// What is constant where in `function`.
    ///
    /// # Errors
    /// When there is no answer.
    fn constants(&mut self, function: &Function) -> Result<ConstantsAnswer, NoAnswer>;

    /// The function with its constants put in, if the subject does that.
    ///
    /// # Errors
    /// When there is no answer.
    fn fold(&mut self, _: &Function) -> Result<Option<Function>, NoAnswer> {
        Ok(None)
    }
}

/// When a `try_drop` may unwind, as far as an analysis knows.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Unwinding {
    /// Always.
    Always,
    /// Where something of its place may be initialized: what holds nothing drops nothing.
    WhereInitialized,
}

/// What has to be done at a drop.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DropClass {
    /// All of the place is initialized, always.
    Static,
    /// None of it is, ever.
    Dead,
    /// It is or is not, as a whole.
    Conditional,
    /// Parts of it may be and parts may be not, because parts are named by themselves.
    Open,
    /// Control never gets there.
    Unclassified,
}

impl DropClass {
    /// Every class.
    pub const ALL: [DropClass; 5] = [
        DropClass::Static,
        DropClass::Dead,
        DropClass::Conditional,
        DropClass::Open,
        DropClass::Unclassified,
    ];

    /// The name in texts and reports.
    pub fn name(self) -> &'static str {
        match self {
            DropClass::Static => "static",
            DropClass::Dead => "dead",
            DropClass::Conditional => "conditional",
            DropClass::Open => "open",
            DropClass::Unclassified => "unclassified",
        }
    }
}

/// What may be true of a resource at a point.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Maybe {
    /// It may be initialized.
    pub initialized: bool,
    /// It may be not.
    pub uninitialized: bool,
}

/// What may be true of each resource, in the order of the owned locals and of their types: a leaf of an
/// aggregate each. `None` where control never gets.
pub type Resources = Option<Vec<Maybe>>;

/// Drops of a function. Everything but `classes` is optional, and judged when given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DropsAnswer {
    /// By block and position (the terminator is the last): the class of each drop.
    pub classes: BTreeMap<(Block, usize), DropClass>,
    /// By block: where it starts, its parameters bound.
    pub entry: Option<Vec<Resources>>,
    /// By block, then by instruction (the terminator is the last): before it.
    pub before: Option<Vec<Vec<Resources>>>,
}

/// Classifies and elaborates the drops of one function.
pub trait DropClassifier {
    /// The class of every drop in `function`, and what it rests on.
    ///
    /// # Errors
    /// When there is no answer, or not in this reading.
    fn drops(&mut self, function: &Function, unwinding: Unwinding)
    -> Result<DropsAnswer, NoAnswer>;

    /// The function with its drops elaborated, if the subject does that.
    ///
    /// # Errors
    /// When there is no answer.
    fn elaborate(&mut self, _: &Function) -> Result<Option<Function>, NoAnswer> {
        Ok(None)
    }
}

/// Turns blocks into thunks, thunks into structured control flow, and that into blocks again.
pub trait Structurizer {
    /// Thunk form of a function.
    ///
    /// # Errors
    /// When there is no answer.
    fn reify(&mut self, function: &Function) -> Result<RegionFunction, NoAnswer>;

    /// The function that thunk form was made of, if the subject goes that way.
    ///
    /// # Errors
    /// When there is no answer.
    fn unreify(&mut self, _: &RegionFunction) -> Result<Option<Function>, NoAnswer> {
        Ok(None)
    }

    /// Structured form of a function in thunk form.
    ///
    /// # Errors
    /// When there is no answer.
    fn structurize(&mut self, thunks: &RegionFunction) -> Result<RegionFunction, NoAnswer>;

    /// Blocks again, if the subject goes that way.
    ///
    /// # Errors
    /// When there is no answer.
    fn lower(&mut self, _: &RegionFunction) -> Result<Option<Function>, NoAnswer> {
        Ok(None)
    }
}

/// Turns the IR into Machine IR.
pub trait Lowering {
    /// The function, one of the program's, in Machine IR. Its blocks come first, with the same
    /// numbers; what is put on edges follows.
    ///
    /// # Errors
    /// When there is no answer; [`NoAnswer::Skip`] for what Machine IR can't say.
    fn lower(&mut self, program: &Program, function: &Function) -> Result<MFunction, NoAnswer>;
}

/// Allocates registers.
pub trait RegisterAllocator {
    /// Which of the subject's allocators it is.
    fn name(&self) -> &str;

    /// Registers for every operand, with the moves in between.
    ///
    /// # Errors
    /// When there is no answer.
    fn allocate(
        &mut self,
        function: &MFunction,
        registers: &Registers,
    ) -> Result<Allocation, NoAnswer>;
}

/// What a pass that propagates destinations says it did.
#[derive(Clone, Debug)]
pub struct DestpropAnswer {
    /// The function after it: the same blocks, and the same numbers of locals.
    pub function: Function,
    /// Each local that was merged into another, with that.
    pub merges: Vec<(Local, Local)>,
    /// Why copies were not merged, one entry a copy, by a name that reports show.
    pub refused: Vec<&'static str>,
    /// What it holds for live after all merges.
    pub saved: Option<SavedAnswer>,
}

/// What is live where, of representatives, at the points of the function as it was before the pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedAnswer {
    /// The locals that were looked at, merged ones among them. Nothing is said of others.
    pub tracked: Locals,
    /// By block, then by instruction (terminator last): what is live before it.
    pub before: Vec<Vec<Locals>>,
    /// By block, then by instruction (terminator last): what is live after it.
    pub after: Vec<Vec<Locals>>,
}

/// What a pass that propagates destinations takes for a conflict, and so must merge for want of one.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum MergeRule {
    /// One of the two is live where the other is written, in the function as it was.
    WrittenWhereLive,
    /// The same, in the function as the pass leaves it.
    WrittenWhereLiveNow,
    /// The live ranges of the two meet, in which each write is a point of its own.
    RangesMeet,
}

/// Merges locals that are copied into each other.
pub trait DestinationPropagator {
    /// Which of the subject's passes it is.
    fn name(&self) -> &str;

    /// What it takes for a conflict.
    fn rule(&self) -> MergeRule;

    /// The function with what can be merged merged.
    ///
    /// # Errors
    /// When there is no answer.
    fn propagate(&mut self, function: &Function) -> Result<DestpropAnswer, NoAnswer>;
}

/// Something that can be checked. An analysis that it does not have is `None`. One thread uses it
/// at a time, not always the same one.
pub trait Subject: Send {
    /// What the command line calls it.
    fn name(&self) -> &str;

    /// The function to ask about instead of this one, for a subject whose input form can't say all
    /// that the IR says. Same blocks first, in the same order; new blocks follow.
    fn prepare(&self, _: &Function) -> Option<Function> {
        None
    }

    /// Tells of programs that it is going to be asked about next, for one that answers many questions at once
    /// sooner than one after the other.
    fn foresee(&mut self, _: &[&Program]) {}

    /// Its liveness solver.
    fn liveness(&mut self) -> Option<&mut dyn LivenessSolver> {
        None
    }

    /// Its graph analyses.
    fn cfg(&mut self) -> Option<&mut dyn CfgSolver> {
        None
    }

    /// How it finds constants.
    fn constants(&mut self) -> Option<&mut dyn ConstantSolver> {
        None
    }

    /// How it classifies drops.
    fn drops(&mut self) -> Option<&mut dyn DropClassifier> {
        None
    }

    /// Its passes that propagate destinations.
    fn propagators(&mut self) -> Vec<&mut dyn DestinationPropagator> {
        Vec::new()
    }

    /// How it structurizes.
    fn structurizer(&mut self) -> Option<&mut dyn Structurizer> {
        None
    }

    /// How it turns the IR into Machine IR.
    fn lowering(&mut self) -> Option<&mut dyn Lowering> {
        None
    }

    /// Its register allocators.
    fn allocators(&mut self) -> Vec<&mut dyn RegisterAllocator> {
        Vec::new()
    }
}

/// Makes subjects, one for each that is in use at a time.
pub trait SubjectFactory: Send + Sync {
    /// What the command line calls it.
    fn name(&self) -> &str;

    /// A fresh one.
    fn make(&self) -> Box<dyn Subject>;

    /// How many cases it likes to be told of beforehand ([`Subject::foresee`]). Few, since a worker is done
    /// with all of them before it looks whether it should stop.
    fn batch(&self) -> u64 {
        4
    }
}

//! The solvers of `core` as a subject.

mod destprop;

use crate::subject::{
    BlockLiveness, CfgAnswer, CfgSolver, ConstantSolver, ConstantsAnswer, DestinationPropagator,
    DropClass, DropClassifier, DropsAnswer, EdgeLiveness, Known, KnownLocals, LivenessAnswer,
    LivenessSolver, Locals, LoopAnswer, Lowering, Maybe, NoAnswer, RegisterAllocator, Resources,
    Structurizer, Subject, SubjectFactory, Unwinding,
};
use backedge_core::cfg::{Cfg, Dominators, Loops, Postorder};
use backedge_core::dataflow::constants::{self, Constants, Lattice};
use backedge_core::dataflow::{Liveness, ValueSet};
use backedge_core::destprop::Method;
use backedge_core::drops::{self, Initialized};
use backedge_core::ir::{Block, Function, Local, Place, Program, Type};
use backedge_core::machine::{self, MFunction};
use backedge_core::regalloc::{Allocation, Allocator, GraphColoring, LinearScan, Registers};
use backedge_core::thunks::{self, RegionFunction};
use destprop::Propagator;

/// Makes the subject `core`.
#[derive(Copy, Clone, Debug, Default)]
pub struct CoreFactory;

impl SubjectFactory for CoreFactory {
    fn name(&self) -> &str {
        "core"
    }

    fn make(&self) -> Box<dyn Subject> {
        Box::new(Core::default())
    }
}

/// The subject `core`.
#[derive(Copy, Clone, Debug)]
pub struct Core {
    linear_scan: Ours<LinearScan>,
    graph_coloring: Ours<GraphColoring>,
    propagators: [Propagator; 3],
}

impl Default for Core {
    fn default() -> Core {
        let propagators = Method::ALL.map(Propagator);
        Core { linear_scan: Ours::default(), graph_coloring: Ours::default(), propagators }
    }
}

/// An allocator of `core` as one of a subject.
#[derive(Copy, Clone, Debug, Default)]
struct Ours<A>(A);

impl<A: Allocator> RegisterAllocator for Ours<A> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn allocate(
        &mut self,
        function: &MFunction,
        registers: &Registers,
    ) -> Result<Allocation, NoAnswer> {
        let answer = self.0.allocate(function, registers);
        answer.map_err(|why| NoAnswer::Error(why.to_string()))
    }
}

impl Subject for Core {
    fn name(&self) -> &str {
        "core"
    }

    fn liveness(&mut self) -> Option<&mut dyn LivenessSolver> {
        Some(self)
    }

    fn cfg(&mut self) -> Option<&mut dyn CfgSolver> {
        Some(self)
    }

    fn constants(&mut self) -> Option<&mut dyn ConstantSolver> {
        Some(self)
    }

    fn drops(&mut self) -> Option<&mut dyn DropClassifier> {
        Some(self)
    }

    fn propagators(&mut self) -> Vec<&mut dyn DestinationPropagator> {
        let all = self.propagators.iter_mut();
        all.map(|propagator| propagator as &mut dyn DestinationPropagator).collect()
    }

    fn structurizer(&mut self) -> Option<&mut dyn Structurizer> {
        Some(self)
    }

    fn lowering(&mut self) -> Option<&mut dyn Lowering> {
        Some(self)
    }

    fn allocators(&mut self) -> Vec<&mut dyn RegisterAllocator> {
        vec![&mut self.linear_scan, &mut self.graph_coloring]
    }
}

impl LivenessSolver for Core {
    fn liveness(&mut self, function: &Function) -> Result<LivenessAnswer, NoAnswer> {
        let cfg = Cfg::build(function);
        let live = Liveness::solve(function, &cfg).at_points();
        let blocks = cfg.blocks().map(|block| {
            let live_out = Some(locals(live.live_out(block)));
            Some(BlockLiveness { live_in: locals(live.live_in(block)), live_out })
        });
        let edges = cfg.edges().map(|(edge, data)| EdgeLiveness {
            from: data.from,
            to: data.to,
            slot: Some(data.slot),
            live: locals(live.edge_live(edge)),
        });
        let points = |set: &dyn Fn(Block, usize) -> Locals| -> Vec<Vec<Locals>> {
            let of_block = |block| (0..live.inst_count(block)).map(|i| set(block, i)).collect();
            cfg.blocks().map(of_block).collect()
        };
        Ok(LivenessAnswer {
            blocks: blocks.collect(),
            edges: Some(edges.collect()),
            after: Some(points(&|block, inst| locals(live.after(block, inst)))),
            before: Some(points(&|block, inst| locals(live.before(block, inst)))),
        })
    }
}

fn locals(set: ValueSet<'_>) -> Locals {
    let mut locals = Vec::with_capacity(set.len());
    set.iter().for_each(|value| locals.push(Local::from(value)));
    locals
}

impl ConstantSolver for Core {
    fn constants(&mut self, function: &Function) -> Result<ConstantsAnswer, NoAnswer> {
        let cfg = Cfg::build(function);
        let constants = Constants::solve(function, &cfg);
        let all = |get: &dyn Fn(Block, Local) -> Option<Lattice>| -> Vec<KnownLocals> {
            let of =
                |block| function.locals.keys().map(|local| get(block, local).map(known)).collect();
            let reached = |block| constants.is_executable(block);
            cfg.blocks().map(|block| reached(block).then(|| of(block)).flatten()).collect()
        };
        let edges = cfg.edges().filter(|&(edge, _)| constants.is_taken(&cfg, edge));
        let foldable = |block| {
            let found = constants.foldable(block).into_iter();
            found.map(move |(inst, value)| (block, inst, value))
        };
        let decided = cfg.blocks().filter_map(|block| Some((block, constants.decided(block)?)));
        Ok(ConstantsAnswer {
            entry: all(&|block, local| constants.at_entry(block, local)),
            exit: Some(all(&|block, local| constants.at_exit(block, local))),
            edges: Some(edges.map(|(_, data)| (data.from, data.slot)).collect()),
            foldable: Some(cfg.blocks().flat_map(foldable).collect()),
            decided: Some(decided.collect()),
        })
    }

    fn fold(&mut self, function: &Function) -> Result<Option<Function>, NoAnswer> {
        Ok(Some(constants::fold(function)))
    }
}

fn known(of: Lattice) -> Known {
    match of {
        Lattice::Undefined => Known::Undefined,
        Lattice::Constant(value) => Known::Constant(value),
        Lattice::Overdefined => Known::Overdefined,
    }
}

impl Structurizer for Core {
    fn reify(&mut self, function: &Function) -> Result<RegionFunction, NoAnswer> {
        thunks::reify(function).map_err(|why| NoAnswer::Skip(why.to_string()))
    }

    fn unreify(&mut self, thunks: &RegionFunction) -> Result<Option<Function>, NoAnswer> {
        Ok(thunks::unreify(thunks))
    }

    fn structurize(&mut self, thunks: &RegionFunction) -> Result<RegionFunction, NoAnswer> {
        thunks::structurize(thunks).map_err(|why| NoAnswer::Skip(why.to_string()))
    }

    fn lower(&mut self, structured: &RegionFunction) -> Result<Option<Function>, NoAnswer> {
        Ok(Some(thunks::lower(structured)))
    }
}

impl DropClassifier for Core {
    fn drops(
        &mut self,
        function: &Function,
        unwinding: Unwinding,
    ) -> Result<DropsAnswer, NoAnswer> {
        let cfg = Cfg::build(function);
        let unwinding = match unwinding {
            Unwinding::Always => drops::Unwinding::Always,
            Unwinding::WhereInitialized => drops::Unwinding::WhereInitialized,
        };
        let initialized = Initialized::solve(function, &cfg, unwinding);
        let paths = leaf_paths(function, &initialized);
        let resources = |state: drops::State<'_>| {
            let maybe = |&path: &u32| Maybe {
                initialized: state.maybe_initialized(path),
                uninitialized: state.maybe_uninitialized(path),
            };
            state.is_reached().then(|| paths.iter().map(maybe).collect())
        };
        let mut answer = DropsAnswer::default();
        let entry = cfg.blocks().map(|block| resources(initialized.at_entry(block)));
        answer.entry = Some(entry.collect());
        let mut before: Vec<Vec<Resources>> = vec![Vec::new(); function.blocks.len()];
        initialized.walk(cfg.blocks(), |block, inst, state| {
            before[block.as_u32() as usize].push(resources(state));
            if let Some(place) = drops::dropped(function, block, inst) {
                let class = class_of(initialized.class(place, state));
                answer.classes.insert((block, inst), class);
            }
        });
        answer.before = Some(before);
        Ok(answer)
    }

    fn elaborate(&mut self, function: &Function) -> Result<Option<Function>, NoAnswer> {
        Ok(Some(drops::elaborate(function)))
    }
}

/// By leaf: the move path that it belongs to.
fn leaf_paths(function: &Function, initialized: &Initialized<'_>) -> Vec<u32> {
    let mut found = Vec::new();
    for (local, data) in function.locals.iter().filter(|(_, data)| data.ty.is_owned()) {
        for path in leaves_of(&data.ty) {
            let place = Place { local, path: path.into_iter().collect() };
            found.extend(initialized.paths().of(&place));
        }
    }
    found
}

/// Paths to the resources of a type, in order.
fn leaves_of(ty: &Type) -> Vec<Vec<u32>> {
    let mut leaves = Vec::new();
    let mut open = vec![(ty, Vec::new())];
    while let Some((ty, path)) = open.pop() {
        match ty {
            Type::Aggregate(parts) => {
                open.extend(parts.iter().enumerate().rev().map(|(part, ty)| {
                    let mut inner = path.clone();
                    inner.push(part as u32);
                    (ty, inner)
                }))
            }
            _ => leaves.push(path),
        }
    }
    leaves
}

fn class_of(class: drops::DropClass) -> DropClass {
    match class {
        drops::DropClass::Static => DropClass::Static,
        drops::DropClass::Dead => DropClass::Dead,
        drops::DropClass::Conditional => DropClass::Conditional,
        drops::DropClass::Open => DropClass::Open,
        drops::DropClass::Unclassified => DropClass::Unclassified,
    }
}

impl Lowering for Core {
    fn lower(&mut self, program: &Program, function: &Function) -> Result<MFunction, NoAnswer> {
        machine::lower(program, function).map_err(|why| NoAnswer::Skip(why.to_string()))
    }
}

impl CfgSolver for Core {
    fn cfg(&mut self, function: &Function) -> Result<CfgAnswer, NoAnswer> {
        let cfg = Cfg::build(function);
        let postorder = Postorder::new(&cfg);
        let dominators = Dominators::new(&cfg);
        let loops = Loops::new(&cfg, &postorder, &dominators);
        let idom = cfg.blocks().filter_map(|block| Some((block, dominators.idom(block)?)));
        let answers = loops.iter().map(|of| LoopAnswer {
            header: loops.header(of),
            blocks: loops.blocks(of).iter().copied().collect(),
        });
        Ok(CfgAnswer {
            edges: cfg.edges().map(|(_, data)| (data.from, data.to)).collect(),
            reachable: Some(cfg.blocks().filter(|&b| postorder.is_reachable(b)).collect()),
            postorder: Some(postorder.blocks().to_vec()),
            idom: Some(idom.collect()),
            loops: Some(answers.collect()),
            reducible: Some(loops.is_reducible()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Case, Verdict};
    use crate::testing::{copying, owning, random_function, returning_nothing};
    use backedge_core::ir::Program;

    #[test]
    fn core_is_right_on_random_functions() {
        for seed in 0..3000 {
            let function = random_function(seed, 12);
            let function = match seed % 3 {
                0 => owning(function),
                1 => copying(function),
                _ => function,
            };
            let function = returning_nothing(function);
            let functions = vec![function];
            let case = Case { program: Program { functions, ..Program::default() } };
            // Functions that call what is not there can't be run.
            for check in check::all().iter().filter(|check| !check.judges_whole_programs()) {
                let verdict = check.judge(&case, &mut Core::default());
                // Not every function can be lowered, or owns anything.
                let skipped = matches!(verdict, Verdict::Skip(_))
                    && ["regalloc", "drops"].contains(&check.name());
                assert!(verdict == Verdict::Pass || skipped, "seed {seed}: {verdict:?}");
            }
        }
    }
}

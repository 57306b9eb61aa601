//! Parts a program into its functions, each a valid program of its own.

use backedge_core::ir::{Extern, Function, Name, Op, Program, TerminatorKind};
use backedge_oracle::check::Case;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Every function as a case, with declarations of what it calls and the program's directives. But for
/// those in time linear in the program, since no function gets what it does not call.
pub(super) fn alone(program: &Program) -> Vec<Case> {
    let mut declarations: FxHashMap<Name, Extern> = FxHashMap::default();
    for function in &program.functions {
        declarations.insert(function.name.clone(), declaration(function));
    }
    for declared in &program.externs {
        declarations.insert(declared.name.clone(), declared.clone());
    }
    let case = |function: &Function| {
        let called = callees(function).into_iter();
        let externs = called.filter(|name| *name != function.name);
        let program = Program {
            directives: program.directives.clone(),
            externs: externs.filter_map(|name| declarations.get(&name).cloned()).collect(),
            memory: program.memory,
            functions: vec![function.clone()],
        };
        Case { program }
    };
    program.functions.iter().map(case).collect()
}

/// The function as it looks to its callers.
fn declaration(function: &Function) -> Extern {
    let params = function.params.iter().map(|&param| function.locals[param].ty.clone());
    Extern {
        name: function.name.clone(),
        params: params.collect(),
        ret: function.ret.clone(),
        span: function.span,
    }
}

fn callees(function: &Function) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    for block in function.blocks.values() {
        for inst in &block.insts {
            if let Op::Call { callee, .. } = &inst.op {
                names.insert(callee.clone());
            }
        }
        if let TerminatorKind::TryCall { callee, .. } = &block.term.kind {
            names.insert(callee.clone());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use backedge_core::diagnostic::Span;
    use backedge_core::ir::Type;
    use backedge_core::ir::builder::FunctionBuilder;
    use smallvec::SmallVec;

    fn calling(name: &str, callee: &str) -> Function {
        let mut b = FunctionBuilder::new(name);
        b.param("n", Type::Int);
        let entry = b.block("entry");
        b.at(entry).inst(None, Op::Call { callee: callee.into(), args: SmallVec::new() });
        b.at(entry).terminate(TerminatorKind::Return(None));
        b.finish()
    }

    #[test]
    fn each_function_declares_what_it_calls() {
        let probe =
            Extern { name: "probe".into(), params: Vec::new(), ret: None, span: Span::NONE };
        let functions = vec![calling("f", "g"), calling("g", "probe"), calling("h", "h")];
        let program = Program { externs: vec![probe], functions, ..Program::default() };
        let cases = alone(&program);
        let declared = |case: &Case| -> Vec<(Name, usize)> {
            let externs = case.program.externs.iter();
            externs.map(|declared| (declared.name.clone(), declared.params.len())).collect()
        };
        let all: Vec<_> = cases.iter().map(declared).collect();
        assert_eq!(all, [vec![("g".into(), 1)], vec![("probe".into(), 0)], vec![]]);
        assert!(cases.iter().all(|case| case.program.functions.len() == 1));
    }
}

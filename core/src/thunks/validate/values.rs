//! What is yielded, carried and bound, against what it is assigned to.

use super::Checker;
use crate::diagnostic::Span;
use crate::ir::text::names::shorten;
use crate::ir::{Local, Operand, Type};
use crate::thunks::form::{Bind, End, Goal, Loop, Node, Region};

/// Checks one function.
pub(super) fn check(checker: &mut Checker<'_, '_>) {
    let function = checker.function;
    for (region, data) in &function.regions {
        checker.distinct(&data.inputs, data.span);
        for node in &data.nodes {
            checker.given(node, region);
        }
    }
}

impl Checker<'_, '_> {
    fn given(&mut self, node: &Node, _region: Region) {
        let function = self.function;
        match node {
            Node::Inst(_) => {}
            Node::Bind(bind) => self.bound(bind),
            Node::Select(select) => {
                self.distinct(&select.outputs, select.span);
                for &arm in &select.arms {
                    self.yielded(arm, &select.outputs);
                }
            }
            Node::Match(node) => {
                node.arms.iter().for_each(|&arm| self.yielded(arm, &[node.output]))
            }
            Node::Loop(node) => {
                self.distinct(&node.outputs, node.span);
                let body = &function.regions[node.body];
                self.assigned(&body.inputs, &node.inits, "the loop starts with", node.span);
                self.repeated(node);
            }
        }
    }

    fn yielded(&mut self, arm: Region, outputs: &[Local]) {
        let data = &self.function.regions[arm];
        if let End::Yield(values) = &data.end {
            self.assigned(outputs, values, "the arm yields", data.end_span);
        }
    }

    fn repeated(&mut self, node: &Loop) {
        let body = &self.function.regions[node.body];
        if let End::Repeat { carried, outputs, .. } = &body.end {
            self.assigned(&body.inputs, carried, "the loop carries", body.end_span);
            self.assigned(&node.outputs, outputs, "the loop ends with", body.end_span);
        }
    }

    /// Checks what is assigned to locals all at once.
    fn assigned(&mut self, to: &[Local], values: &[Operand], what: &str, span: Span) {
        if to.len() != values.len() {
            self.report("value-count", span, || {
                format!("{what} {} of {} values", values.len(), to.len())
            });
        }
        for (&local, &value) in to.iter().zip(values) {
            if let (Some(want), Some(found)) = (self.local_type(local), self.operand_type(value))
                && want != found
            {
                let shown = self.show(value);
                self.report("value-type", span, || format!("{shown} is `{found}`, not `{want}`"));
            }
        }
    }

    fn distinct(&mut self, outputs: &[Local], span: Span) {
        let mut sorted: smallvec::SmallVec<[Local; 8]> = outputs.iter().copied().collect();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            let shown = self.show(pair[0].into());
            self.report("duplicate-output", span, || format!("{shown} is assigned twice at once"));
        }
    }

    fn bound(&mut self, bind: &Bind) {
        let function = self.function;
        let (wanted, name): (Vec<Option<&Type>>, String) = match bind.to {
            Goal::Region(region) => {
                let data = &function.regions[region];
                let types = data.inputs.iter().map(|&input| self.local_type(input)).collect();
                if data.name.is_none() {
                    self.report("missing-name", bind.span, || "nothing can lead there".into());
                }
                (types, shorten(data.name.as_deref().unwrap_or_default()))
            }
            Goal::Return => (function.ret.iter().map(Some).collect(), "return".into()),
            Goal::Resume => (Vec::new(), "resume".into()),
        };
        if wanted.len() != bind.args.len() {
            self.report("argument-count", bind.span, || {
                format!("`{name}` takes {} values, not {}", wanted.len(), bind.args.len())
            });
        }
        for (&arg, want) in bind.args.iter().zip(wanted) {
            if let (Some(want), Some(found)) = (want, self.operand_type(arg))
                && want != found
            {
                let shown = self.show(arg);
                let message = || format!("{shown} is `{found}`, not `{want}`");
                self.report("argument-type", bind.span, message);
            }
        }
        if let Some(ty) = self.local_type(bind.dest).filter(|&ty| *ty != Type::Thunk) {
            let message = || format!("this gives `thunk`, but its destination is `{ty}`");
            self.report("destination-type", bind.span, message);
        }
    }
}

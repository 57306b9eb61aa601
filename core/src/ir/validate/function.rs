//! Names, blocks and parameters of one function.

use super::names::signature_mistake;
use super::types::type_mistake;
use super::{Spot, State, shorten, ssa};
use crate::diagnostic::{Diagnostic, Span};
use crate::ir::{Function, Local, Target, Type};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// Tables that are kept from one function to the next, for their memory.
#[derive(Default)]
pub(super) struct Scratch<'p> {
    names: FxHashMap<&'p str, Span>,
    /// By local: the last list of parameters that named it.
    listed_in: Vec<u32>,
}

/// Checks everything about a function.
pub(super) fn check<'p>(
    function: &'p Function,
    state: &mut State<'p, '_>,
    scratch: &mut Scratch<'p>,
) {
    check_names(function, state, &mut scratch.names);
    check_types(function, state);
    let mut checker = Checker { function, state, sound: true };
    checker.parameters(&mut scratch.listed_in);
    if function.blocks.is_empty() {
        let message = || format!("`@{}` has no block to enter", shorten(&function.name));
        checker.report("no-entry", (function.span, Spot::Whole), message);
        return;
    }
    for block in function.blocks.values() {
        for inst in &block.insts {
            checker.inst(inst);
        }
        checker.terminator(&block.term);
    }
    if function.ssa && checker.sound {
        ssa::check(function, checker.state);
    }
}

fn check_names<'p>(
    function: &'p Function,
    state: &mut State<'p, '_>,
    seen: &mut FxHashMap<&'p str, Span>,
) {
    seen.clear();
    for block in function.blocks.values() {
        unique("duplicate-block", "block", (&block.name, block.span), state, seen);
    }
    seen.clear();
    for local in function.locals.values() {
        unique("duplicate-local", "local", (&local.name, local.span), state, seen);
    }
}

fn unique<'p>(
    code: &'static str,
    kind: &str,
    (name, span): (&'p str, Span),
    state: &mut State<'p, '_>,
    seen: &mut FxHashMap<&'p str, Span>,
) {
    match seen.entry(name) {
        Entry::Vacant(entry) => {
            entry.insert(span);
        }
        Entry::Occupied(first) => {
            let message = format!("there are two {kind}s called `{}`", shorten(name));
            let diagnostic = Diagnostic::new(code, span, message);
            state.sink.push(diagnostic.note(*first.get(), "the first one"));
        }
    }
}

fn check_types(function: &Function, state: &mut State<'_, '_>) {
    for local in function.locals.values() {
        if let Some((code, message)) = type_mistake(&local.ty) {
            state.report(code, (local.span, Spot::Whole), || message.into());
        }
    }
    let param_types = function.params.iter().filter_map(|&l| function.locals.get(l));
    let thunk = param_types.map(|data| &data.ty).any(|ty| *ty == Type::Thunk);
    let mistake = if thunk { Some(&Type::Thunk) } else { function.ret.as_ref() };
    if let Some((code, message)) = mistake.and_then(signature_mistake) {
        state.report(code, (function.span, Spot::Whole), || message.into());
    }
}

/// Checks the blocks of one function.
pub(super) struct Checker<'s, 'p, 'a> {
    pub(super) function: &'p Function,
    pub(super) state: &'s mut State<'p, 'a>,
    /// Whether every block and local that is named exists.
    pub(super) sound: bool,
}

impl<'p> Checker<'_, 'p, '_> {
    pub(super) fn report(
        &mut self,
        code: &'static str,
        at: (Span, Spot),
        message: impl FnOnce() -> String,
    ) {
        self.state.report(code, at, message);
    }

    /// The name of a local, for a message.
    pub(super) fn name(&self, local: Local) -> String {
        self.function.locals.get(local).map_or_else(String::new, |data| shorten(&data.name))
    }

    /// The type of a local; one that does not exist is reported.
    pub(super) fn local_type(&mut self, local: Local, at: (Span, Spot)) -> Option<&'p Type> {
        match self.function.locals.get(local) {
            Some(data) => Some(&data.ty),
            None => {
                self.sound = false;
                self.report("dangling-local", at, || {
                    format!("there is no local number {}", local.as_u32())
                });
                None
            }
        }
    }

    /// Checks the lists of parameters: the function's and each block's.
    fn parameters(&mut self, listed_in: &mut Vec<u32>) {
        let function = self.function;
        listed_in.clear();
        listed_in.resize(function.locals.len(), 0);
        let head = function.span;
        self.parameter_list(&function.params, 1, |_| (head, Spot::Whole), listed_in);
        for (index, block) in function.blocks.values().enumerate() {
            let at = |n| (block.span, Spot::Param(n));
            if index == 0 && !block.params.is_empty() {
                self.report("entry-parameters", at(0), || {
                    "the entry block takes no parameters: they are those of the function".into()
                });
            }
            self.parameter_list(&block.params, index as u32 + 2, at, listed_in);
        }
    }

    fn parameter_list(
        &mut self,
        params: &[Local],
        list: u32,
        at: impl Fn(usize) -> (Span, Spot),
        listed_in: &mut [u32],
    ) {
        for (index, &local) in params.iter().enumerate() {
            if self.local_type(local, at(index)).is_none() {
                continue;
            }
            if std::mem::replace(&mut listed_in[local.index()], list) == list {
                let name = self.name(local);
                self.report("duplicate-parameter", at(index), || {
                    format!("`%{name}` is listed twice among the parameters")
                });
            }
        }
    }

    /// Checks that the target in `slot` exists, and its arguments.
    pub(super) fn target(&mut self, target: &Target, slot: usize, statement: Span) {
        let function = self.function;
        let Some(block) = function.blocks.get(target.block) else {
            self.sound = false;
            if !self.state.context.targets_checked {
                self.report("dangling-target", (statement, Spot::Target(slot)), || {
                    format!("there is no block number {}", target.block.as_u32())
                });
            }
            return;
        };
        if target.args.len() != block.params.len() {
            self.report("argument-count", (statement, Spot::Target(slot)), || {
                let (name, takes) = (shorten(&block.name), block.params.len());
                format!("block `{name}` takes {}, not {}", count(takes), target.args.len())
            });
        }
        for (index, &arg) in target.args.iter().enumerate() {
            let want = block.params.get(index).and_then(|&param| function.locals.get(param));
            let at = (statement, Spot::Arg(slot, index));
            self.argument(arg, want.map(|data| &data.ty), at);
        }
    }
}

/// `1 argument`, `2 arguments`
pub(super) fn count(arguments: usize) -> String {
    if arguments == 1 { "1 argument".into() } else { format!("{arguments} arguments") }
}

//! Terminators: what ends a block, and where it leads.

use super::asm::asm;
use super::edges::{Edges, edges};
use super::place::{
    Effects, MirOperand, MirPlace, Scope, at_place, local, operand, operands, place,
};
use super::scan::{Cursor, Parse, find, is_path, unknown};
use backedge_core::ir::Block;

/// What ends a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MirTerminator<'t> {
    /// `goto -> bb1`
    Goto(Block),
    /// `switchInt(v) -> [0: bb1, otherwise: bb2]`
    Switch { value: MirOperand, cases: Vec<(u128, Block)>, default: Block },
    /// `return`
    Return,
    /// Nothing comes after: `unreachable`, `terminate(abi)`.
    Dead,
    /// Leaves the function without a value: `resume`, `coroutine_drop`.
    Resume,
    /// A call; without a place for the result where it never returns a value.
    Call(Call<'t>),
    /// `drop(P)`
    Drop(MirPlace, Edges),
    /// `P = yield(v)`: assigns on the edge that resumes.
    Yield { value: MirOperand, dest: MirPlace, resume: Block, drop: Option<Block> },
    /// Reads, then goes one of several ways; `writes` takes place on every way but the unwind edge.
    Ways { reads: Effects, writes: Effects, edges: Edges },
}

/// `P = f(a, b) -> ..`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call<'t> {
    pub(super) dest: Option<MirPlace>,
    /// The name of the callee; [`INDIRECT`] where a local holds it.
    pub(super) callee: &'t str,
    /// The callee's own operand where that is no constant, then the arguments.
    pub(super) args: Vec<MirOperand>,
    pub(super) edges: Edges,
}

/// Stands for the name of a callee that a local holds.
pub(super) const INDIRECT: &str = "indirect";

/// Reads a terminator, without its semicolon.
pub(super) fn terminator<'t>(
    text: &'t str,
    scope: &Scope,
    unwinds_to: impl Fn(Block) -> bool,
) -> Parse<MirTerminator<'t>> {
    if let Some(rest) = text.strip_prefix("asm!(") {
        return asm(rest, scope, unwinds_to);
    }
    let (head, mut edges) = split(text, scope)?;
    if let Some(known) = without_operands(head, &edges)? {
        return Ok(known);
    }
    let mut cursor = Cursor::new(head);
    if cursor.eat("switchInt(") {
        return switch(&mut cursor, scope, &edges);
    }
    edges.settle(unwinds_to);
    if cursor.eat("drop(") {
        let dropped = place(&mut cursor, scope)?;
        cursor.expect(")")?;
        cursor.finish()?;
        edges.lead_somewhere("a drop")?;
        return Ok(MirTerminator::Drop(dropped, edges));
    }
    if cursor.eat("async drop(") || cursor.eat("assert(") {
        let reads = reads(&mut cursor, scope)?;
        edges.lead_somewhere("this")?;
        return Ok(MirTerminator::Ways { reads, writes: Effects::default(), edges });
    }
    if cursor.eat("tailcall ") || cursor.eat("become ") {
        return call(None, cursor.rest(), edges, scope);
    }
    if !head.starts_with(['_', '(']) && !head.starts_with("unwrap_binder!(") {
        return Err(unknown("unknown terminator", head));
    }
    let dest = place(&mut cursor, scope)?;
    cursor.expect(" = ")?;
    if cursor.eat("yield(") {
        return suspend(&mut cursor, scope, dest, &edges);
    }
    call(Some(dest), cursor.rest(), edges, scope)
}

/// A terminator that is its name and its targets, if it is one.
fn without_operands<'t>(head: &str, edges: &Edges) -> Parse<Option<MirTerminator<'t>>> {
    let exit = match head {
        "goto" => return edges.single().map(|to| Some(MirTerminator::Goto(to))),
        "falseEdge" | "falseUnwind" => {
            edges.lead_somewhere("this")?;
            let [reads, writes] = Default::default();
            return Ok(Some(MirTerminator::Ways { reads, writes, edges: edges.clone() }));
        }
        "return" => MirTerminator::Return,
        "unreachable" | "abort" => MirTerminator::Dead,
        "resume" | "coroutine_drop" | "generator_drop" => MirTerminator::Resume,
        _ if head.starts_with("terminate(") => MirTerminator::Dead,
        _ => return Ok(None),
    };
    if *edges == Edges::default() {
        Ok(Some(exit))
    } else {
        Err(format!("`{head}` has no targets"))
    }
}

/// Splits ` -> TARGETS` off; the last such arrow counts, since a type may hold one.
pub(super) fn split<'t>(text: &'t str, scope: &Scope) -> Parse<(&'t str, Edges)> {
    let arrow = " -> ";
    let mut last = None;
    find(text, 0, |at, b| {
        if b == b' ' && text[at..].starts_with(arrow) {
            last = Some(at);
        }
        false
    });
    match last {
        Some(at) => Ok((&text[..at], edges(&text[at + arrow.len()..], scope)?)),
        None => Ok((text, Edges::default())),
    }
}

fn switch<'t>(cursor: &mut Cursor<'_>, scope: &Scope, edges: &Edges) -> Parse<MirTerminator<'t>> {
    let value = operand(cursor, scope)?;
    cursor.expect(")")?;
    cursor.finish()?;
    let mut cases = Vec::new();
    let mut default = None;
    for (label, block) in &edges.ways {
        if let Ok(key) = label.parse() {
            cases.push((key, *block));
        } else if matches!(&label[..], "" | "otherwise") && default.is_none() {
            default = Some(*block);
        } else {
            return Err(format!("a switch has no way `{label}`"));
        }
    }
    // A switch that names every value has no other way; its last case serves as one.
    let default = default.or_else(|| cases.pop().map(|(_, block)| block));
    let default = default.ok_or_else(|| "a switch without targets".to_owned())?;
    let mut keys: Vec<u128> = cases.iter().map(|&(key, _)| key).collect();
    keys.sort_unstable();
    if keys.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err("a switch with one value twice".to_owned());
    }
    Ok(MirTerminator::Switch { value, cases, default })
}

/// What `assert(!c, "..", a)` and `async drop(P; poll=_1)` read, after the parenthesis.
fn reads(cursor: &mut Cursor<'_>, scope: &Scope) -> Parse<Effects> {
    let mut effects = Effects::default();
    cursor.eat("!");
    loop {
        if cursor.rest().starts_with('"') {
            cursor.until(|b| matches!(b, b',' | b')'));
        } else {
            effects.operand(&operand(cursor, scope)?);
        }
        if cursor.eat("; poll=") {
            effects.uses.push(local(cursor, scope)?);
        }
        if !cursor.eat(", ") {
            cursor.expect(")")?;
            return cursor.finish().map(|()| effects);
        }
    }
}

/// `P = yield(v)`, after the parenthesis.
fn suspend<'t>(
    cursor: &mut Cursor<'_>,
    scope: &Scope,
    dest: MirPlace,
    edges: &Edges,
) -> Parse<MirTerminator<'t>> {
    let value = operand(cursor, scope)?;
    cursor.expect(")")?;
    cursor.finish()?;
    let mut ways = edges.ways.iter().map(|&(_, block)| block);
    let resume = ways.next().ok_or_else(|| "a yield that never resumes".to_owned())?;
    let drop = ways.next();
    if ways.next().is_some() {
        return Err("a yield resumes or is dropped".to_owned());
    }
    Ok(MirTerminator::Yield { value, dest, resume, drop })
}

/// `f::<T>(a, b)`, `move _1(a)`; the callee is what stands before the last group of parentheses.
fn call<'t>(
    dest: Option<MirPlace>,
    text: &'t str,
    edges: Edges,
    scope: &Scope,
) -> Parse<MirTerminator<'t>> {
    let mut cursor = Cursor::new(text);
    let mut args = Vec::new();
    let mut callee = INDIRECT;
    if text.starts_with("move ") || text.starts_with("copy ") || at_place(&cursor) {
        args.push(operand(&mut cursor, scope)?);
    } else {
        let mut last = None;
        find(text, 0, |at, b| {
            last = (b == b'(').then_some(at).or(last);
            false
        });
        let open = last.ok_or_else(|| unknown("unknown terminator", text))?;
        callee = &text[..open];
        if !callee.starts_with("const ") && !is_path(callee) {
            return Err(unknown("unknown callee", callee));
        }
        cursor = Cursor::new(&text[open..]);
    }
    cursor.expect("(")?;
    args.extend(operands(&mut cursor, scope, ")")?);
    cursor.finish()?;
    if dest.is_some() {
        edges.lead_somewhere("a call")?;
    }
    if edges.ways.iter().any(|(label, _)| !matches!(&label[..], "" | "return"))
        || edges.ways.len() > 1
    {
        return Err("a call returns to one block".to_owned());
    }
    Ok(MirTerminator::Call(Call { dest, callee, args, edges }))
}

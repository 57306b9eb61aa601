//! Exact reads, writes and edges, line by line and for whole bodies.

mod bodies;
mod corpus;
mod mapping;
mod mistakes;
mod robust;
mod statements;
mod terminators;

use super::{Imported, read};
use backedge_core::ir::{Function, Inst, Local, Op, TerminatorKind};

/// Ten locals, and a block for each that a case may name.
fn wrap(lines: &str) -> String {
    let mut text = String::from("fn f(_1: usize, _2: usize) -> T {\n    let mut _0: T;\n");
    (3..10).for_each(|number| text += &format!("    let mut _{number}: T;\n"));
    text += &format!("\n    bb0: {{\n{lines}\n    }}\n");
    (1..4).for_each(|number| text += &format!("\n    bb{number}: {{\n        return;\n    }}\n"));
    text + "\n    bb4 (cleanup): {\n        resume;\n    }\n}\n"
}

fn clean(text: &str) -> Imported {
    let imported = read(text.as_bytes());
    assert_eq!(imported.diagnostics, [], "{text}");
    imported
}

fn names(function: &Function, locals: impl IntoIterator<Item = Local>) -> String {
    let names: Vec<&str> =
        locals.into_iter().map(|local| function.locals[local].name.as_str()).collect();
    names.join(" ")
}

/// `defs ~partial <- uses`
fn effect(function: &Function, inst: &Inst) -> String {
    let [mut uses, mut defs] = [Vec::new(), Vec::new()];
    inst.for_each_use(|local| uses.push(local));
    inst.for_each_def(|local| defs.push(local));
    let mut written = names(function, defs);
    let partial = match (&inst.op, &inst.dest) {
        (Op::Opaque(opaque), _) => names(function, opaque.partial.iter().copied()),
        (_, Some(dest)) if !dest.is_whole() => names(function, [dest.local]),
        _ => String::new(),
    };
    if !partial.is_empty() {
        written += &format!("~{partial}");
    }
    format!("{written} <- {}", names(function, uses)).trim().to_owned()
}

/// `uses => targets`, a definition on an edge before its target.
fn leads(function: &Function, kind: &TerminatorKind) -> String {
    let mut uses = Vec::new();
    kind.for_each_use(|local| uses.push(local));
    let mut text = format!("{} =>", names(function, uses));
    for (slot, target) in kind.targets().iter().enumerate() {
        if let Some(def) = kind.edge_def(slot) {
            text += &format!(" {}:", function.locals[def].name);
        }
        text += &format!(" {}", function.blocks[target.block].name);
    }
    text.trim().to_owned()
}

/// Every instruction of a block, and its terminator.
fn block(function: &Function, name: &str) -> Vec<String> {
    let block = function.block_named(name).expect("the block exists");
    let data = &function.blocks[block];
    let mut lines: Vec<String> = data.insts.iter().map(|inst| effect(function, inst)).collect();
    lines.push(leads(function, &data.term.kind));
    lines
}

fn statement(line: &str) -> String {
    let text = wrap(&format!("        {line};\n        goto -> bb1;"));
    let imported = clean(&text);
    let mut lines = block(&imported.program.functions[0], "bb0");
    assert_eq!(lines.pop().as_deref(), Some("=> bb1"));
    lines.join("; ")
}

fn terminator(line: &str) -> String {
    let imported = clean(&wrap(&format!("        {line};")));
    block(&imported.program.functions[0], "bb0").join("; ")
}

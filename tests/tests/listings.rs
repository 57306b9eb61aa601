//! Runs the listings under `corpus/filetests`: what each says of itself must be true of the graph and
//! the liveness that `core` reads off it, and of the same code as a function of the IR, which the
//! references can judge.

use backedge_core::cfg::listing::TextListing;
use backedge_core::cfg::{Cfg, Code, Values};
use backedge_core::dataflow::Liveness;
use backedge_core::diagnostic::Diagnostic;
use backedge_core::entity::{Block, Value};
use backedge_core::ir::builder::FunctionBuilder;
use backedge_core::ir::text::parse;
use backedge_core::ir::{Directive, Function, Local, Op, Opaque, Operand, Program};
use backedge_core::ir::{Target, TerminatorKind, Type};
use backedge_oracle::check::{self, Case, Verdict};
use backedge_oracle::core_subject::Core;
use backedge_oracle::expect;
use backedge_tests::filetest::{files, found, listed, render};
use std::path::PathBuf;

/// The directives of a text of which nothing else is IR.
fn directives(text: &str) -> Vec<Directive> {
    let blank = |line: &str| if line.starts_with(";;") { line.to_owned() } else { String::new() };
    let lines: Vec<String> = text.lines().map(blank).collect();
    let program = parse(&format!("{}\nfn @f() {{\nentry:\n  return\n}}", lines.join("\n")));
    program.expect("directives alone are a valid text").directives
}

/// The same code in the IR: an opaque operation for each instruction, then a terminator with the same
/// successors, which reads nothing.
fn function(listing: &TextListing) -> Function {
    let code = listing.blocks();
    let mut b = FunctionBuilder::new("listing");
    for value in (0..code.value_count()).map(|value| Value::from_u32(value as u32)) {
        b.local(listing.value_name(value), Type::Int);
    }
    let blocks: Vec<Block> = (0..code.block_count())
        .map(|block| b.block(code.block_name(Block::from_u32(block as u32))))
        .collect();
    for &block in &blocks {
        code.phi_defs(block, |value| b.function().blocks[block].params.push(value.into()));
    }
    for &block in &blocks {
        b.at(block);
        for inst in 0..code.inst_count(block) {
            let mut opaque = Opaque {
                text: "listing".into(),
                defs: Default::default(),
                uses: Default::default(),
                partial: Default::default(),
            };
            code.defs(block, inst, |value| opaque.defs.push(value.into()));
            code.uses(block, inst, |value| opaque.uses.push(value.into()));
            b.inst(None, Op::Opaque(Box::new(opaque)));
        }
        b.terminate(terminator(&code, block));
    }
    b.finish()
}

fn terminator(code: &impl Values, block: Block) -> TerminatorKind {
    let mut targets = Vec::new();
    code.successors(block, |to| targets.push(Target::new(to)));
    for (slot, target) in targets.iter_mut().enumerate() {
        code.edge_uses(block, slot, |value| target.args.push(Local::from(value).into()));
    }
    let mut targets = targets.into_iter();
    match targets.next() {
        None => TerminatorKind::Return(None),
        Some(default) => TerminatorKind::Switch {
            value: Operand::Const(0),
            default,
            cases: targets.enumerate().map(|(key, to)| (key as i64, to)).collect(),
        },
    }
}

fn listings() -> Vec<(PathBuf, String, TextListing)> {
    let all = ["liveness", "cfg"].into_iter().flat_map(|folder| files(folder, "lst"));
    let parsed = all.map(|(path, text)| match TextListing::parse(&text) {
        Ok(listing) => (path, text, listing),
        Err(wrong) => panic!("{}:\n{}", path.display(), render(&text, &wrong)),
    });
    parsed.collect()
}

#[test]
fn what_listings_say_is_true() {
    for (path, text, listing) in listings() {
        let functions = vec![function(&listing)];
        let program = Program { functions, directives: directives(&text), ..Program::default() };
        let expectations = expect::read(&program).unwrap_or_default();
        let wrong = expect::judge(&program, &mut Core::default());
        assert!(wrong.is_empty(), "{}:\n{}", path.display(), render(&text, &wrong));
        assert!(!expectations.is_empty(), "{} says nothing", path.display());
        // A listing is no program that could be run or compiled: its operations are opaque.
        for name in ["cfg", "liveness", "constants"] {
            let check = check::by_name(name).expect("there is this check");
            let case = Case { program: program.clone() };
            assert_eq!(
                check.judge(&case, &mut Core::default()),
                Verdict::Pass,
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn a_listing_and_its_function_have_the_same_facts() {
    for (path, _, listing) in listings() {
        let function = function(&listing);
        let code = listing.blocks();
        let [graph, other] = [Cfg::build(&code), Cfg::build(&function)];
        let [live, live_other] = [facts(&code, &graph), facts(&function, &other)];
        assert_eq!(live, live_other, "{}", path.display());
    }
}

/// Every block with its edges and what is live at its ends and on them, in words.
fn facts(code: &impl Values, cfg: &Cfg<'_>) -> Vec<String> {
    let live = Liveness::solve(code, cfg);
    let edges = cfg.edges().map(|(edge, data)| format!("{data:?}: {:?}", live.edge_live(edge)));
    let ends = |block| format!("{:?}, {:?}", live.live_in(block), live.live_out(block));
    cfg.blocks().map(ends).chain(edges).collect()
}

#[test]
fn bad_listings_get_the_diagnostics_that_they_list() {
    for (path, text) in files("bad", "lst") {
        let diagnostics: Vec<Diagnostic> = TextListing::parse(&text).err().unwrap_or_default();
        let found = found(&text, &diagnostics);
        assert!(!found.is_empty(), "{} is good", path.display());
        assert_eq!(found, listed(&text), "{}:\n{}", path.display(), render(&text, &diagnostics));
    }
}

use super::*;
use crate::cfg::testing::on_small_stack;
use crate::cfg::{Cfg, Postorder};
use crate::dataflow::{Liveness, ValueSet};
use std::fmt::Write;

/// Each block with its instruction count and successors: `head[2] -> head done`.
fn blocks(text: &str) -> Vec<String> {
    let listing = TextListing::parse(text).expect("a listing");
    let code = listing.blocks();
    let cfg = Cfg::build(&code);
    let line = |block| {
        let mut line = format!("{}[{}]", code.block_name(block), code.inst_count(block));
        for (at, to) in cfg.succ_blocks(block).enumerate() {
            let arrow = if at == 0 { " -> " } else { " " };
            let _ = write!(line, "{arrow}{}", code.block_name(to));
        }
        line
    };
    cfg.blocks().map(line).collect()
}

fn mistakes(text: &str) -> Vec<&'static str> {
    let found = TextListing::parse(text).err().unwrap_or_default();
    found.iter().map(|diagnostic| diagnostic.code).collect()
}

#[test]
fn a_conditional_branch_goes_to_its_target_and_falls_through() {
    assert_eq!(
        blocks("a: br %c, done\n add 1\ndone: ret"),
        ["a[1] -> done <1>", "<1>[1] -> done", "done[1]"]
    );
}

#[test]
fn an_unconditional_jump_goes_to_its_target_alone() {
    assert_eq!(blocks("a: jump c\nb: ret\nc: jump a"), ["a[1] -> c", "b[1]", "c[1] -> a"]);
}

#[test]
fn indirect_jumps_and_returns_have_no_successor() {
    assert_eq!(blocks("a: ijump %t\nb: ret %x"), ["a[1]", "b[1]"]);
}

#[test]
fn a_call_falls_through_and_ends_no_block() {
    assert_eq!(blocks("a: call %r <- @f\n add %r\n ret"), ["a[3]"]);
}

#[test]
fn a_label_opens_a_block_and_is_no_instruction() {
    assert_eq!(blocks("a: add 1\nb: ret"), ["a[1] -> b", "b[1]"]);
}

#[test]
fn what_follows_a_terminator_is_a_block_of_its_own() {
    assert_eq!(blocks("a: ret\n add 1\n ret"), ["a[1]", "<1>[2]"]);
    let listing = TextListing::parse("ret\n ret").expect("a listing");
    let code = listing.blocks();
    let unreachable: Vec<_> = Postorder::new(&Cfg::build(&code)).unreachable().collect();
    assert_eq!(unreachable, [Block::from_u32(1)]);
}

#[test]
fn two_labels_in_a_row_leave_an_empty_block() {
    assert_eq!(blocks("a:\nb:\n jump a"), ["a[0] -> b", "b[1] -> a"]);
}

#[test]
fn a_branch_to_the_next_block_is_two_edges() {
    assert_eq!(blocks("a: br %c, b\nb: ret"), ["a[1] -> b b", "b[1]"]);
}

#[test]
fn control_must_not_run_off_the_end() {
    assert_eq!(mistakes("a: add 1"), ["missing-terminator"]);
    assert_eq!(mistakes("a: call @f"), ["missing-terminator"]);
    assert_eq!(mistakes("a: br %c, a"), ["missing-terminator"]);
    assert_eq!(mistakes("a: jump b\nb:"), ["missing-terminator"]);
}

#[test]
fn an_empty_listing_has_no_entry() {
    assert_eq!(mistakes(""), ["no-entry"]);
    assert_eq!(mistakes("; nothing\n\n"), ["no-entry"]);
}

#[test]
fn phis_stand_at_the_head() {
    assert_eq!(mistakes("a: add 1\n phi %x <- a: %y\n jump a"), ["phi-not-at-head"]);
    assert_eq!(mistakes("a: jump b\nb: phi %x <-\n ret"), ["phi-missing-predecessor"]);
    assert_eq!(mistakes("a: jump b\nb: phi %x <- a: 1, a: 2\n ret"), ["phi-duplicate-predecessor"]);
}

#[test]
fn phi_operands_are_read_on_their_edge() {
    let text = "\
        start:
          zero %z <-
          jump head
        head:
          phi %i <- start: %z, <2>: %next
          br %i, done
          add %next <- %i, 1
          jump head
        done:
          ret";
    let listing = TextListing::parse(text).expect("a listing");
    let code = listing.blocks();
    let cfg = Cfg::build(&code);
    let liveness = Liveness::solve(&code, &cfg);
    let names = |set: ValueSet<'_>| -> Vec<&str> {
        set.iter().map(|value| listing.value_name(value)).collect()
    };
    let live_in: Vec<_> = cfg.blocks().map(|block| names(liveness.live_in(block))).collect();
    assert_eq!(live_in, [vec![], vec!["i"], vec!["i"], vec![]]);
    let live_out: Vec<_> = cfg.blocks().map(|block| names(liveness.live_out(block))).collect();
    assert_eq!(live_out, [vec!["z"], vec!["i"], vec!["next"], vec![]]);
}

#[test]
fn long_listings_on_a_small_stack() {
    on_small_stack(|| {
        let mut text = String::new();
        for label in 0..100_000 {
            let _ = writeln!(text, "b{label}: add %x{} <- %x{label}\n br %x{label}, b0", label + 1);
        }
        text.push_str("end: ret");
        let listing = TextListing::parse(&text).expect("a listing");
        let code = listing.blocks();
        let cfg = Cfg::build(&code);
        assert_eq!(cfg.block_count(), 100_001);
        assert_eq!(Liveness::solve(&code, &cfg).live_in(cfg.entry()).len(), 1);
    });
}

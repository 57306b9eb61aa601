use super::*;

/// A site after `before` bytes and `after` bytes before a label at the end; another label is at the start.
fn code(kind: SiteKind, before: usize, after: usize, backwards: bool) -> (Vec<u8>, u32) {
    let mut sites = Sites::for_instructions(0);
    let [start, end] = [sites.labels(1), sites.labels(1)];
    sites.bind(start);
    sites.asm.extend(&vec![0; before]);
    sites.add(kind, Target::Label(if backwards { start } else { end }));
    sites.asm.extend(&vec![0; after]);
    sites.bind(end);
    let linked = sites.link().expect("it is small");
    (linked.code.clone(), linked.offset(if backwards { start } else { end }))
}

fn word(code: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([code[at], code[at + 1], code[at + 2], code[at + 3]])
}

fn jal_target(at: usize, word: u32) -> i64 {
    let bits = |from: u32, count: u32| i64::from(word >> from & ((1 << count) - 1));
    let offset = bits(31, 1) << 20 | bits(12, 8) << 12 | bits(20, 1) << 11 | bits(21, 10) << 1;
    at as i64 + (offset << 43 >> 43)
}

fn branch_target(at: usize, word: u32) -> i64 {
    let bits = |from: u32, count: u32| i64::from(word >> from & ((1 << count) - 1));
    let offset = bits(31, 1) << 12 | bits(7, 1) << 11 | bits(25, 6) << 5 | bits(8, 4) << 1;
    at as i64 + (offset << 51 >> 51)
}

/// Where the code at `at` goes, and in how many bytes: read off the instructions.
fn goes(code: &[u8], at: usize) -> (i64, usize) {
    let first = word(code, at);
    match first & 0x7f {
        0x6f => (jal_target(at, first), 4),
        0x17 => {
            let second = word(code, at + 4);
            let [upper, low] = [(first & 0xffff_f000) as i32, second as i32 >> 20];
            assert_eq!((second & 0x7f, second >> 15 & 31), (0x67, first >> 7 & 31));
            (at as i64 + i64::from(upper) + i64::from(low), 8)
        }
        0x63 if first >> 12 & 7 == 0 => (branch_target(at, first), 4),
        0x63 => {
            let (to, length) = goes(code, at + 4);
            assert_eq!(branch_target(at, first), (at + 4 + length) as i64);
            (to, 4 + length)
        }
        opcode => panic!("opcode {opcode:#x}"),
    }
}

fn check(kind: SiteKind, before: usize, after: usize, backwards: bool, length: usize) {
    let (code, label) = code(kind, before, after, backwards);
    let found = goes(&code, before);
    assert_eq!(found, (i64::from(label), length), "{kind:?} {before} {after} {backwards}");
    assert_eq!(code.len(), before + after + length);
}

#[test]
fn branches_are_as_long_as_their_reach_needs() {
    let branch = SiteKind::Branch(Cond::Eq, 10, 11);
    for (after, length) in [(0, 4), (4088, 4), (4092, 8), (1_048_564, 8), (1_048_572, 12)] {
        check(branch, 0, after, false, length);
    }
    for (before, length) in [(0, 4), (4096, 4), (4100, 8), (1_048_572, 8), (1_048_576, 12)] {
        check(branch, before, 0, true, length);
    }
}

#[test]
fn jumps_are_as_long_as_their_reach_needs() {
    for link in [ZERO, super::super::asm::RA] {
        let jump = SiteKind::Jump(link);
        for (after, length) in [(0, 4), (1_048_568, 4), (1_048_572, 8), (3_000_000, 8)] {
            check(jump, 0, after, false, length);
        }
        for (before, length) in [(0, 4), (1_048_576, 4), (1_048_580, 8), (3_000_000, 8)] {
            check(jump, before, 0, true, length);
        }
    }
}

/// Sites that only reach once those in between are short.
#[test]
fn short_sites_bring_others_into_reach() {
    let mut sites = Sites::for_instructions(0);
    let end = sites.labels(1);
    for _ in 0..700 {
        sites.branch(Cond::Eq, 10, 11, end);
    }
    sites.bind(end);
    let code = sites.link().expect("it is small").code;
    assert_eq!(code.len(), 4 * 700);
    for at in (0..code.len()).step_by(4) {
        assert_eq!(goes(&code, at), (code.len() as i64, 4));
    }
}

#[test]
fn more_code_than_an_image_holds_is_refused() {
    let mut sites = Sites::for_instructions(0);
    sites.asm.extend(&vec![0; MOST_CODE_BYTES + 1]);
    assert_eq!(sites.link().err(), Some(AssembleError::TooMuchCode));
}

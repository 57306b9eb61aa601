//! What the machine has no instruction for, frames, and jumps that go far.

use super::build::*;
use super::*;
use backedge_core::machine::MBlock;

fn returned(image: &Image, tape: &str) -> i64 {
    match run(image, tape).ending {
        Ending::Returned(Some(value)) => value,
        other => panic!("{other}"),
    }
}

#[test]
fn constants_come_out() {
    let mut constants = vec![0, 1, -1, 2047, 2048, -2048, -2049, 0x7fff_f800, i64::MAX, i64::MIN];
    constants.extend((0..64).map(|shift| 0x1234_5678_9abc_def1_u64.rotate_left(shift) as i64));
    constants.extend((0..63).map(|shift| 1 << shift));
    for value in constants {
        let main = function("main", vec![returning(vec![load(A0, value)])]);
        assert_eq!(returned(&assemble(&with_params(0), &[main]), ""), value);
    }
}

/// With every way in which the four operands can share registers.
#[test]
fn select_reads_everything_before_it_writes() {
    let regs = [A0, A1, a(2), a(3)];
    let values = [11, 22, 33, 44];
    for sharing in 0..256_usize {
        let [d, c, x, y] = [0, 2, 4, 6].map(|shift| sharing >> shift & 3);
        for condition in [0, 1, -1, 1 << 40] {
            let mut set: Vec<i64> = values.to_vec();
            set[c] = condition;
            let mut insts: Vec<MInst> = regs.iter().zip(&set).map(|(&r, &v)| load(r, v)).collect();
            let operands = [def(regs[d]), reads(regs[c]), reads(regs[x]), reads(regs[y])];
            insts.push(inst(MOp::Select, &operands));
            insts.push(inst(MOp::Move, &[def(A0), reads(regs[d])]));
            let expected = if set[c] != 0 { set[x] } else { set[y] };
            let image = assemble(&with_params(0), &[function("main", vec![returning(insts)])]);
            assert_eq!(returned(&image, ""), expected, "{d} {c} {x} {y} {condition}");
        }
    }
}

/// The quotient is written before the remainder reads its operands.
#[test]
fn division_with_remainder_writes_early() {
    let divide = |quotient: Reg, remainder: Reg, signed: bool| {
        let operands = [RegOperand::writes_early(quotient), def(remainder), reads(A0), reads(A1)];
        let insts = vec![
            inst(MOp::DivRem { signed }, &operands),
            inst(MOp::AluImm(AluImm::Slli, 8), &[def(T1), reads(quotient)]),
            alu(Alu::Add, A0, T1, remainder),
        ];
        assemble(&with_params(2), &[function("main", vec![returning(insts)])])
    };
    assert_eq!(returned(&divide(T1, T2, true), "-47, 10"), -4 * 256 - 7);
    assert_eq!(returned(&divide(T1, A1, false), "47, 10"), 4 * 256 + 7);
    // An allocation that lets it share is wrong, and shows.
    assert_eq!(returned(&divide(A1, T2, false), "47, 10"), 4 * 256 + 47 % 4);
}

#[test]
fn addresses_wrap_at_the_size_of_the_memory_and_are_written_early() {
    let text = "memory 4096\nfn @main(%n: int) -> int {\nentry:\n  return 0\n}\n";
    let store = |address: Reg| {
        let operands = [RegOperand::writes_early(address), reads(A0)];
        let insts = vec![
            inst(MOp::MemoryAddress { words: 4096 }, &operands),
            load(T2, 5),
            inst(MOp::Store, &[reads(address), reads(T2)]),
        ];
        assemble(&program(text), &[function("main", vec![returning(insts)])])
    };
    for (index, word) in [(0, 0), (4095, 4095), (4096, 0), (-1, 4095), (i64::MIN + 7, 7)] {
        let memory = run(&store(T1), &index.to_string()).memory;
        assert_eq!(memory.iter().position(|&word| word != 0), Some(word));
        assert_eq!((memory.len(), memory[word]), (4096, 5));
    }
    // An allocation that lets it share is wrong, and shows.
    assert_eq!(run(&store(A0), "7").memory[4095], 5);
}

#[test]
fn switches_compare_every_key() {
    let keys = [0, 1, -1, 4096, i64::MIN, 0x1234_5678_9abc_def0];
    let cases = keys.iter().zip(1..).map(|(&key, to)| (key, target(to))).collect();
    let default = target(keys.len() as u32 + 1);
    let kind = MTermKind::Switch { default, cases };
    let mut blocks = vec![block(vec![], term(kind, &[reads(A0)]))];
    blocks.extend((0..=keys.len()).map(|index| returning(vec![load(A0, 100 + index as i64)])));
    let image = assemble(&with_params(1), &[function("main", blocks)]);
    for (index, key) in keys.iter().enumerate() {
        assert_eq!(returned(&image, &key.to_string()), 100 + index as i64);
    }
    assert_eq!(returned(&image, "2"), 100 + keys.len() as i64);
}

/// A frame over 2 KiB: slots, saved registers, outgoing and incoming arguments are all far from `sp`.
#[test]
fn large_frames_keep_everything_apart() {
    for spill_bytes in [0, 8, 2000, 2032, 2048, 4096, 40_000] {
        let slots: Vec<u32> = (0..spill_bytes / 8).step_by(37).map(|slot| 8 * slot).collect();
        let mut insts = vec![load(S1, 5), inst(MOp::Move, &[def(Reg::SCRATCH[0]), reads(A0)])];
        for &slot in &slots {
            insts.push(load(Reg::SCRATCH[1], i64::from(slot) + 1));
            let store = MOp::FrameStore(FrameSlot::Spill(slot));
            insts.push(inst(store, &[reads(Reg::SCRATCH[1])]));
        }
        insts.push(inst(MOp::FrameStore(FrameSlot::Outgoing(2)), &[reads(S1)]));
        insts.push(inst(MOp::FrameLoad(FrameSlot::Incoming(0)), &[def(A0)]));
        // The scratch registers are the moves': no slot however far changes them.
        insts.push(alu(Alu::Add, A0, A0, Reg::SCRATCH[0]));
        for &slot in &slots {
            insts.push(inst(MOp::FrameLoad(FrameSlot::Spill(slot)), &[def(T1)]));
            insts.push(alu(Alu::Add, A0, A0, T1));
        }
        insts.push(call("leaf", false));
        let mut main = function("main", vec![returning(insts)]);
        main.outgoing_words = 3;
        main.spill_bytes = spill_bytes;
        main.saved = RegSet::of([S1]);
        let leaf = function("leaf", vec![returning(vec![])]);
        let mut program = with_params(9);
        program.functions.push(backedge_core::ir::Function::new("leaf"));
        let sum: i64 = slots.iter().map(|&slot| i64::from(slot) + 1).sum();
        let image = assemble(&program, &[main, leaf]);
        assert_eq!(returned(&image, "1000, 0, 0, 0, 0, 0, 0, 0, 77"), sum + 1077);
    }
}

/// Blocks that are `padding` instructions long, between branches that skip them both ways.
fn padded(padding: usize) -> Vec<MBlock> {
    let pad = || (0..padding).map(|_| load(T1, 0)).collect::<Vec<_>>();
    vec![
        block(vec![load(T2, 0)], branch(Cond::Ne, A0, Reg::ZERO, 2, 1)),
        block(pad(), jump(3)),
        block(vec![inst(MOp::AluImm(AluImm::Addi, 1), &[def(T2), reads(T2)])], jump(3)),
        block(pad(), branch(Cond::Lt, T2, A1, 2, 4)),
        returning(vec![inst(MOp::Move, &[def(A0), reads(T2)])]),
    ]
}

#[test]
fn branches_go_as_far_as_they_must() {
    for padding in [0, 1000, 1030, 300_000] {
        let image = assemble(&with_params(2), &[function("main", padded(padding))]);
        let mut emulator = lend().expect("an emulator");
        for (tape, result) in [("0, 0", 0), ("1, 0", 1), ("0, 3", 3), ("1, 3", 3)] {
            let tape = Tape::parse(tape).expect("a tape");
            let run = emulator.run(&image, &tape, 4_000_000).run;
            assert_eq!(run.ending, Ending::Returned(Some(result)), "{padding} {tape}");
        }
    }
}

#[test]
fn calls_go_as_far_as_they_must() {
    let text =
        "fn @main() -> int {\nentry:\n  return 0\n}\nfn @far() -> int {\nentry:\n  return 0\n}\n";
    let padding = (0..300_000).map(|_| load(T1, 0)).collect();
    let main = function(
        "main",
        vec![
            block(vec![call("far", false), call("far", false)], jump(1)),
            returning(vec![]),
            block(padding, jump(0)),
        ],
    );
    let far = function("far", vec![returning(vec![load(A0, 9)])]);
    for functions in [[main.clone(), far.clone()], [far, main]] {
        let image = assemble(&program(text), &functions);
        assert!(image.code.len() > 1 << 20);
        assert_eq!(returned(&image, ""), 9);
    }
}

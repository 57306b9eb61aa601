//! Code that does what no right code does.

use super::build::*;
use super::*;

fn fault_of(insts: Vec<MInst>) -> Option<Fault> {
    fault(&assemble(&with_params(0), &[function("main", vec![returning(insts)])]), "")
}

fn access_to(address: i64) -> Option<u64> {
    match fault_of(vec![load(T1, address), inst(MOp::Load, &[def(A0), reads(T1)])]) {
        Some(Fault::Access { address, .. }) => Some(address),
        None => None,
        other => panic!("{other:?}"),
    }
}

#[test]
fn accesses_outside_memory_and_stack_end_the_run() {
    let wild = [0, 8, -8, 0x1000, 0x200_0000, 0x1000_0000, 0x1000_1000, 0x8000_0000, 0xc000_0000];
    for address in wild {
        assert_eq!(access_to(address), Some(address as u64));
    }
    let end_of_emulator = [0xbfff_fff8, 0xbfff_fffc, 0xbfff_ffff, 0xc000_0000, i64::MAX, i64::MIN];
    for address in end_of_emulator {
        assert_eq!(access_to(address), Some(address as u64));
    }
}

#[test]
fn stores_are_looked_at_too_and_tell_where() {
    let insts = vec![load(T1, 0x8000_0000), inst(MOp::Store, &[reads(T1), reads(T1)])];
    let image = assemble(&with_params(0), &[function("main", vec![returning(insts)])]);
    let outcome = outcome(&image, "");
    let main = image.symbols.iter().find(|symbol| symbol.name == "main").expect("it is there");
    let Some(Fault::Access { address: 0x8000_0000, at }) = outcome.fault else {
        panic!("{:?}", outcome.fault)
    };
    assert!((main.offset..main.offset + main.size).contains(&at));
    assert_eq!(
        outcome.run.ending,
        Ending::Undefined(format!("access to 0x80000000 at code+{at:#x}"))
    );
}

#[test]
fn nothing_is_there_below_the_stack_pointer_and_above_the_caller() {
    for offset in [-8, 0, 8] {
        let address = inst(MOp::AluImm(AluImm::Addi, offset), &[def(T1), reads(Reg::SP)]);
        let found = fault_of(vec![address, inst(MOp::Load, &[def(A0), reads(T1)])]);
        assert!(matches!(found, Some(Fault::Access { .. })), "{offset}: {found:?}");
    }
}

#[test]
fn callee_saved_registers_are_to_be_given_back() {
    let mut main = function("main", vec![returning(vec![load(S1, 1), load(A0, 2)])]);
    let lost = fault(&assemble(&with_params(0), &[main.clone()]), "");
    assert!(matches!(lost, Some(Fault::NotRestored { reg: S1, found: 1, .. })), "{lost:?}");
    main.saved = RegSet::of([S1]);
    assert_eq!(run(&assemble(&with_params(0), &[main]), "").ending, Ending::Returned(Some(2)));
    let down = inst(MOp::AluImm(AluImm::Addi, -16), &[def(Reg::SP), reads(Reg::SP)]);
    let lost = fault_of(vec![down]);
    assert!(matches!(lost, Some(Fault::NotRestored { reg: Reg::SP, .. })), "{lost:?}");
}

#[test]
fn a_spill_slot_outside_the_frame_is_seen() {
    let spill = |offset| inst(MOp::FrameStore(FrameSlot::Spill(offset)), &[reads(Reg::ZERO)]);
    let main = |offset| {
        let mut main = function("main", vec![returning(vec![spill(offset), load(S1, 1)])]);
        main.saved = RegSet::of([S1]);
        main.spill_bytes = 8;
        fault(&assemble(&with_params(0), &[main]), "")
    };
    assert_eq!(main(0), None);
    assert!(matches!(main(8), Some(Fault::NotRestored { reg: S1, found: 0, .. })));
    assert!(matches!(main(16), Some(Fault::Access { .. })));
    assert!(matches!(main(1 << 28), Some(Fault::Access { .. })));
}

#[test]
fn jumps_out_of_the_code_end_the_run() {
    let found = fault_of(vec![load(Reg::RA, 0x1234_5678)]);
    assert_eq!(found, Some(Fault::Jump { address: 0x1234_5678 }));
}

#[test]
fn calls_leave_garbage_where_they_may() {
    let program = program("extern @e() -> int\nfn @main() -> int {\nentry:\n  return 0\n}\n");
    for reg in RegSet::CALLER_SAVED.without(Reg::RA).without(A0).without(A1).iter() {
        let kept = inst(MOp::Move, &[def(A0), reads(reg)]);
        let insts = vec![load(reg, 42), call("e", false), kept];
        let image = assemble(&program, &[function("main", vec![returning(insts)])]);
        assert_ne!(run(&image, "42").ending, Ending::Returned(Some(42)), "{reg}");
    }
    for reg in [S1, Reg::physical(27)] {
        let kept = inst(MOp::Move, &[def(A0), reads(reg)]);
        let mut main =
            function("main", vec![returning(vec![load(reg, 42), call("e", false), kept])]);
        main.saved = RegSet::of([reg]);
        assert_eq!(run(&assemble(&program, &[main]), "1").ending, Ending::Returned(Some(42)));
    }
}

#[test]
fn a_slot_that_was_never_written_holds_garbage() {
    let reload = inst(MOp::FrameLoad(FrameSlot::Spill(0)), &[def(A0)]);
    let mut main = function("main", vec![returning(vec![reload])]);
    main.spill_bytes = 8;
    let image = assemble(&with_params(0), &[main]);
    assert_ne!(run(&image, "").ending, Ending::Returned(Some(0)));
}

/// Whatever the words are, the run ends, and the next one is as if nothing had been.
#[test]
fn any_words_are_survived() {
    let main = function("main", vec![returning(vec![inst(MOp::Move, &[def(A0), reads(A0)])])]);
    let good = assemble(&with_params(1), &[main]);
    let mut bits = crate::testing::Bits::new(7);
    let mut emulator = lend().expect("an emulator");
    let opcodes = [LOAD, STORE, 0x13, 0x17, 0x1b, 0x33, 0x37, 0x3b, 0x63, 0x67, 0x6f, 0x73, 0x2f];
    for _ in 0..3000 {
        let mut bad = good.clone();
        for word in bad.code.chunks_exact_mut(4) {
            let any = (bits.below(1 << 16) << 16 | bits.below(1 << 16)) as u32;
            let opcode = opcodes[bits.below(opcodes.len())];
            let word_of_opcode = if bits.below(8) == 0 { any } else { any & !0x7f | opcode };
            word.copy_from_slice(&word_of_opcode.to_le_bytes());
        }
        let tape = Tape(vec![Answer::Value(41)]);
        emulator.run(&bad, &tape, 300);
        let outcome = emulator.run(&good, &tape, 300);
        assert_eq!((outcome.run.ending, outcome.fault), (Ending::Returned(Some(41)), None));
    }
}

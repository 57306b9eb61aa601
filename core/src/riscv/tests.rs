use super::*;
use crate::entity::Block;
use crate::ir::text;
use crate::machine::{
    Alu, AluImm, Cond, FrameSlot, MBlock, MInst, MOp, MTarget, MTerm, MTermKind, RegOperand, RegSet,
};

const MAIN: &str = "fn @main() -> int {\nentry:\n  return 0\n}\n";

fn program(text: &str) -> Program {
    text::parse(text).expect("the test's program is valid")
}

fn inst(op: MOp, regs: &[u32]) -> MInst {
    MInst::new(op, regs.iter().map(|&number| RegOperand::reads(Reg::from_number(number))))
}

fn target(block: u32) -> MTarget {
    MTarget { block: Block::from_u32(block), args: Default::default() }
}

fn block(insts: Vec<MInst>, kind: MTermKind, regs: &[u32]) -> MBlock {
    let regs = regs.iter().map(|&number| RegOperand::reads(Reg::from_number(number))).collect();
    MBlock { name: "b".into(), params: Vec::new(), insts, term: MTerm { kind, regs } }
}

fn function(blocks: Vec<MBlock>) -> MFunction {
    MFunction {
        name: "main".into(),
        virtuals: 9,
        blocks: blocks.into_iter().collect(),
        outgoing_words: 0,
        spill_bytes: 0,
        saved: RegSet::EMPTY,
    }
}

fn misfit_of(function: MFunction) -> Option<Misfit> {
    match assemble(&program(MAIN), &[function]) {
        Err(AssembleError::Misfit { misfit, .. }) => Some(misfit),
        Err(other) => panic!("{other}"),
        Ok(_) => None,
    }
}

#[test]
fn what_is_not_fit_is_told() {
    let of_inst = |op, regs: &[u32]| {
        misfit_of(function(vec![block(vec![inst(op, regs)], MTermKind::Return, &[])]))
    };
    assert_eq!(of_inst(MOp::Alu(Alu::Add), &[10, 11, 12]), None);
    let operands = |expected, found| Some(Misfit::Operands { expected, found });
    assert_eq!(of_inst(MOp::Alu(Alu::Add), &[10, 11]), operands(3, 2));
    assert_eq!(of_inst(MOp::Move, &[10, 11, 12]), operands(2, 3));
    let a_virtual = Some(Misfit::Virtual(Reg::virtual_register(3)));
    assert_eq!(of_inst(MOp::Alu(Alu::Add), &[10, 35, 12]), a_virtual);
    let callee = || MOp::Call { callee: "main".into(), catches: true };
    assert_eq!(of_inst(callee(), &[35]), a_virtual);
    let unknown = MOp::Call { callee: "nobody".into(), catches: true };
    assert_eq!(of_inst(unknown, &[]), Some(Misfit::Callee("nobody".into())));
    for (op, bad, good) in [(AluImm::Addi, 2048, 2047), (AluImm::Slli, 64, 63)] {
        assert_eq!(of_inst(MOp::AluImm(op, bad), &[10, 11]), Some(Misfit::Immediate(bad)));
        assert_eq!(of_inst(MOp::AluImm(op, good), &[10, 11]), None);
    }
    let address = MOp::MemoryAddress { words: 3 };
    assert_eq!(of_inst(address, &[10, 11]), Some(Misfit::MemorySize(3)));
    let far = |slot| of_inst(MOp::FrameLoad(slot), &[10]);
    assert!(matches!(far(FrameSlot::Spill(u32::MAX)), Some(Misfit::FrameOffset(_))));
    assert!(matches!(far(FrameSlot::Incoming(u32::MAX)), Some(Misfit::FrameOffset(_))));
}

#[test]
fn edges_of_allocated_code_carry_nothing_and_lead_somewhere() {
    let jump = |to| block(vec![], MTermKind::Jump(to), &[]);
    let mut with_argument = target(1);
    with_argument.args.push(Reg::A0);
    let end = || block(vec![], MTermKind::Return, &[]);
    assert_eq!(misfit_of(function(vec![jump(target(1)), end()])), None);
    assert_eq!(misfit_of(function(vec![jump(target(2)), end()])), Some(Misfit::Target));
    assert_eq!(misfit_of(function(vec![jump(with_argument), end()])), Some(Misfit::Arguments));
    let mut with_parameter = end();
    with_parameter.params.push(Reg::A0);
    let arguments = misfit_of(function(vec![jump(target(1)), with_parameter]));
    assert_eq!(arguments, Some(Misfit::Arguments));
    assert_eq!(misfit_of(function(vec![])), Some(Misfit::Empty));
}

#[test]
fn programs_that_make_no_image_are_refused() {
    let main = || function(vec![block(vec![], MTermKind::Return, &[])]);
    let of = |text, functions: &[MFunction]| assemble(&program(text), functions).err();
    assert_eq!(of(MAIN, &[]), Some(AssembleError::NoStart));
    assert_eq!(assemble(&Program::default(), &[main()]), Err(AssembleError::NoStart));
    assert_eq!(of(MAIN, &[main(), main()]), Some(AssembleError::Duplicate("main".into())));
    let large = format!("memory {}\n{MAIN}", MOST_MEMORY_WORDS * 2);
    assert_eq!(of(&large, &[main()]), Some(AssembleError::TooMuchMemory(MOST_MEMORY_WORDS * 2)));
    let mut huge = main();
    huge.spill_bytes = u32::MAX;
    let error = of(MAIN, &[huge]).expect("the frame is too large");
    assert_eq!(error.to_string(), "@main: a frame with an offset of 4294967296 bytes is too large");
}

fn size_of(blocks: Vec<MBlock>) -> u32 {
    let image = assemble(&program(MAIN), &[function(blocks)]).expect("it is fit");
    image.symbols.iter().find(|symbol| symbol.name == "main").expect("it is there").size
}

#[test]
fn blocks_fall_through_to_their_successors() {
    let jump = |to| block(vec![], MTermKind::Jump(target(to)), &[]);
    let branch = |then_to, else_to| {
        let [then_to, else_to] = [target(then_to), target(else_to)];
        block(vec![], MTermKind::Branch { cond: Cond::Lt, then_to, else_to }, &[10, 11])
    };
    let end = || block(vec![], MTermKind::Return, &[]);
    // A chain that is not in order of the numbers.
    assert_eq!(size_of(vec![jump(3), jump(2), end(), jump(1)]), 4);
    // One of two targets follows; the other's jump back to it is left.
    assert_eq!(size_of(vec![branch(1, 2), jump(3), jump(3), end()]), 4 + 4 + 4);
    // The block that follows is the one taken: the condition is inverted.
    assert_eq!(size_of(vec![branch(1, 0), end()]), 4 + 4);
    assert_eq!(size_of(vec![branch(1, 1), end()]), 4);
}

#[test]
fn only_functions_that_call_save_their_way_back() {
    let call = || inst(MOp::Call { callee: "main".into(), catches: true }, &[]);
    let size = |insts| size_of(vec![block(insts, MTermKind::Return, &[])]);
    assert_eq!(size(vec![]), 4);
    // The frame, `ra` saved, the call, `ra` restored, the frame gone.
    assert_eq!(size(vec![call()]), 4 + 4 + 4 + 4 + 4 + 4);
}

#[test]
fn symbols_cover_the_code_and_the_data_follows() {
    let text = format!("extern @e() -> int\nmemory 8\n{MAIN}");
    let main = function(vec![block(vec![], MTermKind::Return, &[])]);
    let image = assemble(&program(&text), &[main]).expect("it is fit");
    let names: Vec<&str> = image.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(names, ["_start", "e", "main"]);
    let mut end = 0;
    for symbol in &image.symbols {
        assert_eq!(symbol.offset, end);
        end += symbol.size;
    }
    assert!(end as usize <= image.code.len() && image.code.len() <= image.data_offset as usize);
    assert_eq!((image.data_offset, image.data_bytes, image.memory_words), (4096, 64, 8));
    assert_eq!(image.externs, [Signature { name: "e".into(), params: 0, returns: true }]);
}

/// By the fields of the ELF header; what other tools make of the file is for them.
#[test]
fn an_executable_starts_in_its_code() {
    let main = function(vec![block(vec![], MTermKind::Return, &[])]);
    let text = format!("memory 8\n{MAIN}");
    let file = elf(&program(&text), &[main], &[Some(1), None]).expect("it is fit");
    let word = |at: usize| u64::from_le_bytes(file[at..at + 8].try_into().expect("eight bytes"));
    assert_eq!(&file[..7], b"\x7fELF\x02\x01\x01");
    assert_eq!(&file[16..20], [2, 0, 243, 0], "an executable for RISC-V");
    let (entry, segment) = (word(24), word(32) as usize);
    let [offset, address, size] = [8, 16, 32].map(|field| word(segment + field));
    assert!((address..address + size).contains(&entry));
    assert_eq!((offset, address), (0x1000, 0x1_1000));
    let data = segment + 56;
    assert_eq!((word(data + 32), word(data + 40)), (0, 64 + 8), "zeroed data only");
    assert!(file.windows(6).any(|bytes| bytes == b"\0main\0"));
}

#[test]
fn any_name_makes_a_symbol() {
    let text = "extern @\"\\0\"()\nfn @main() -> int {\nentry:\n  return 0\n}\n";
    let main = function(vec![block(vec![], MTermKind::Return, &[])]);
    let file = elf(&program(text), &[main], &[]).expect("it is fit");
    assert!(file.windows(3).any(|bytes| bytes == b"\\0\0"));
}

//! A static executable for RV64 Linux, so that code can be looked at and run by other tools.
//!
//! Nobody answers extern calls there, so that the answers are part of the file: a table behind the code.

use super::environment::Environment;
use super::{AssembleError, Image, image, start};
use crate::ir::Program;
use crate::machine::MFunction;
use object::elf;
use object::write::StringId;
use object::write::elf::{FileHeader, ProgramHeader, SectionHeader, SectionIndex, Sym, Writer};

/// Where the file is mapped. The code starts one page later, behind the headers.
const BASE: u64 = 0x1_0000;
const CODE_OFFSET: u64 = 0x1000;
const CODE: u64 = BASE + CODE_OFFSET;

/// The program as an executable. `tape` is what the environment answers: the arguments of the first
/// function, then the result of each extern call; `None` is an unwind, or 0 as an argument.
///
/// The exit code is the low byte of the result, 125 if the tape was exhausted, 126 if the run unwound,
/// and 127 if it reached `unreachable`.
///
/// # Errors
/// When a function is not fit to be encoded, or too large.
pub fn elf(
    program: &Program,
    functions: &[MFunction],
    tape: &[Option<i64>],
) -> Result<Vec<u8>, AssembleError> {
    let params = start(program)?.params;
    let (arguments, answers) = match tape.split_at_checked(params) {
        Some((arguments, answers)) => (Some(arguments), answers),
        None => (None, tape),
    };
    let image = image(program, functions, &Environment::Linux { arguments, answers })?;
    file(&image).map_err(|error| AssembleError::File(error.to_string()))
}

/// Section numbers that symbols and headers need.
struct Layout {
    text: SectionIndex,
    /// Of the sections with contents, in their order.
    section_names: [StringId; 3],
    symbol_names: Vec<StringId>,
}

fn file(image: &Image) -> object::write::Result<Vec<u8>> {
    // A name of the IR may hold any character, one in a file ends at the first zero.
    let names: Vec<String> =
        image.symbols.iter().map(|symbol| symbol.name.replace('\0', "\\0")).collect();
    let mut out = Vec::new();
    let mut writer = Writer::new(object::Endianness::Little, true, &mut out);
    let layout = reserve(&mut writer, image, &names)?;
    writer.write_file_header(&FileHeader {
        os_abi: elf::ELFOSABI_NONE,
        abi_version: 0,
        e_type: elf::ET_EXEC,
        e_machine: elf::EM_RISCV,
        e_entry: CODE + u64::from(image.entry),
        e_flags: elf::EF_RISCV_FLOAT_ABI_SOFT,
    })?;
    write_segments(&mut writer, image);
    writer.pad_until(CODE_OFFSET);
    writer.write(&image.code);
    write_symbols(&mut writer, image, &layout);
    writer.write_strtab();
    writer.write_shstrtab();
    write_sections(&mut writer, image, &layout);
    Ok(out)
}

/// Lays the file out, in the order in which it is written.
fn reserve<'n>(
    writer: &mut Writer<'n>,
    image: &Image,
    names: &'n [String],
) -> object::write::Result<Layout> {
    writer.reserve_file_header();
    writer.reserve_program_headers(2);
    writer.reserve_until(CODE_OFFSET);
    writer.reserve(image.code.len() as u64, 1);
    writer.reserve_null_section_index();
    let section_names =
        [&b".text"[..], b".rodata", b".bss"].map(|name| writer.add_section_name(name));
    let [text, _, _] = section_names.map(|_| writer.reserve_section_index());
    let mut symbol_names = Vec::with_capacity(names.len());
    for name in names {
        symbol_names.push(writer.add_string(name.as_bytes()));
        writer.reserve_symbol_index(Some(text));
    }
    writer.reserve_symtab_section_index();
    writer.reserve_symtab();
    writer.reserve_strtab_section_index();
    writer.reserve_strtab()?;
    writer.reserve_shstrtab_section_index();
    writer.reserve_shstrtab()?;
    writer.reserve_section_headers();
    Ok(Layout { text, section_names, symbol_names })
}

/// The code, which can be read, and the zeroed data, which can be written.
fn write_segments(writer: &mut Writer<'_>, image: &Image) {
    writer.write_align_program_headers();
    let code_bytes = image.code.len() as u64;
    let data = CODE + u64::from(image.data_offset);
    let segments = [
        (elf::PF_R | elf::PF_X, CODE, code_bytes, code_bytes),
        (elf::PF_R | elf::PF_W, data, 0, image.data_bytes),
    ];
    for (p_flags, address, p_filesz, p_memsz) in segments {
        writer.write_program_header(&ProgramHeader {
            p_type: elf::PT_LOAD,
            p_flags,
            p_offset: address - BASE,
            p_vaddr: address,
            p_paddr: address,
            p_filesz,
            p_memsz,
            p_align: 0x1000,
        });
    }
}

fn write_symbols(writer: &mut Writer<'_>, image: &Image, layout: &Layout) {
    writer.write_null_symbol();
    for (symbol, &name) in image.symbols.iter().zip(&layout.symbol_names) {
        let st_name = writer.string_offset(Some(name));
        writer.write_symbol(&Sym {
            section: Some(layout.text.0),
            st_name,
            st_info: elf::SymbolInfo::new(elf::STB_LOCAL, elf::STT_FUNC),
            st_other: elf::SymbolOther::default(),
            st_shndx: elf::SymbolSection::default(),
            st_value: CODE + u64::from(symbol.offset),
            st_size: u64::from(symbol.size),
        });
    }
}

fn write_sections(writer: &mut Writer<'_>, image: &Image, layout: &Layout) {
    let [code, constants, data] = [0, image.constants_offset, image.data_offset].map(u64::from);
    let end = image.code.len() as u64;
    let alloc = elf::SHF_ALLOC;
    let sections = [
        (elf::SHT_PROGBITS, alloc | elf::SHF_EXECINSTR, code, constants, 4),
        (elf::SHT_PROGBITS, alloc, constants, end - constants, 8),
        (elf::SHT_NOBITS, alloc | elf::SHF_WRITE, data, image.data_bytes, 8),
    ];
    writer.write_null_section_header();
    for (name, (sh_type, sh_flags, offset, sh_size, sh_addralign)) in
        layout.section_names.into_iter().zip(sections)
    {
        let sh_name = writer.section_name_offset(Some(name));
        writer.write_section_header(&SectionHeader {
            sh_name,
            sh_type,
            sh_flags,
            sh_addr: CODE + offset,
            sh_offset: CODE_OFFSET + offset,
            sh_size,
            sh_link: 0,
            sh_info: 0,
            sh_addralign,
            sh_entsize: 0,
        });
    }
    writer.write_symtab_section_header(image.symbols.len() as u32 + 1);
    writer.write_strtab_section_header();
    writer.write_shstrtab_section_header();
}

//! The rustc that is installed, as a subject: what its drop elaboration says of our functions.
//!
//! A function becomes custom MIR ([`print`]), which rustc is let elaborate the drops of; what it knew before,
//! and what it made of each drop, is read from its dumps ([`read`]). Only what bears on drops is
//! told it: integers vanish, and a branch may go either way.
//!
//! What unwinds into blocks that only clean up is told it as that, and it answers in its own reading of drops,
//! [`Unwinding::WhereInitialized`]. Where a drop unwinds elsewhere, which MIR can't say, the drops of the function
//! are told it as ordinary branches, and it answers in the reading [`Unwinding::Always`]. Without a `try_drop`,
//! both readings are the same.
//!
//! Starting rustc takes longer than what it has to do. So it is given all functions of a worker's batch of
//! cases at once; what it can't be given with others it is given by itself.

mod cleanup;
mod print;
mod read;
#[cfg(test)]
mod tests;

use backedge_core::ir::{Function, Op, Program, TerminatorKind};
use backedge_oracle::subject::{
    DropClassifier, DropsAnswer, NoAnswer, Subject, SubjectFactory, Unwinding,
};
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Makes the subject `rustc`.
#[derive(Copy, Clone, Debug, Default)]
pub struct RustcFactory;

impl SubjectFactory for RustcFactory {
    fn name(&self) -> &str {
        "rustc"
    }

    fn make(&self) -> Box<dyn Subject> {
        Box::new(Rustc::default())
    }

    fn batch(&self) -> u64 {
        64
    }
}

/// The subject `rustc`: what `RUSTC` names, or else `rustc`.
#[derive(Clone, Debug, Default)]
pub struct Rustc {
    /// What it said of functions that it will be asked about, or was asked about last.
    known: Vec<(Function, DropsAnswer)>,
}

impl Subject for Rustc {
    fn name(&self) -> &str {
        "rustc"
    }

    fn foresee(&mut self, programs: &[&Program]) {
        let functions = programs.iter().flat_map(|program| &program.functions);
        let functions: Vec<&Function> =
            functions.filter(|function| suitable(function).is_ok()).collect();
        let answers = answers(&functions).unwrap_or_default();
        let known = functions.into_iter().cloned().zip(answers);
        self.known =
            known.filter_map(|(function, answer)| Some((function, answer.ok()?))).collect();
    }

    fn drops(&mut self) -> Option<&mut dyn DropClassifier> {
        Some(self)
    }
}

impl DropClassifier for Rustc {
    fn drops(
        &mut self,
        function: &Function,
        unwinding: Unwinding,
    ) -> Result<DropsAnswer, NoAnswer> {
        suitable(function)?;
        if !reads(function, unwinding) {
            return Err(NoAnswer::Skip("rustc answers in another reading of unwinding".into()));
        }
        if let Some((_, answer)) = self.known.iter().find(|(known, _)| known == function) {
            return Ok(answer.clone());
        }
        let answer = answers(&[function])?.pop();
        let answer = answer.unwrap_or_else(|| Err("it said nothing".into()));
        let answer = answer.map_err(NoAnswer::Nonsense)?;
        self.known = vec![(function.clone(), answer.clone())];
        Ok(answer)
    }
}

/// What rustc says of each function, or what of that can't be understood.
fn answers(functions: &[&Function]) -> Result<Vec<Result<DropsAnswer, String>>, NoAnswer> {
    if functions.is_empty() {
        return Ok(Vec::new());
    }
    let (text, mirs) = print::program(functions);
    let folder = tempfile::tempdir().map_err(unusable)?;
    let source = folder.path().join("f.rs");
    fs::write(&source, &text).map_err(unusable)?;
    compile(&source, folder.path())?;
    let dumps = read::Dumps::read(&folder.path().join("dumps"));
    let dumps = dumps.map_err(|why| NoAnswer::Skip(format!("an unsuitable rustc: {why}")))?;
    let numbered = functions.iter().zip(&mirs).enumerate();
    Ok(numbered.map(|(number, (f, mir))| read::answer(f, number, mir, &dumps)).collect())
}

/// Whether rustc answers in this reading.
fn reads(function: &Function, unwinding: Unwinding) -> bool {
    let mut terms = function.blocks.values().map(|data| &data.term.kind);
    let drops = terms.any(|term| matches!(term, TerminatorKind::TryDrop { .. }));
    let real = cleanup::Cleanup::new(function).drops_unwind;
    !drops || real == (unwinding == Unwinding::WhereInitialized)
}

/// What custom MIR can't say.
fn suitable(function: &Function) -> Result<(), NoAnswer> {
    let mut insts = function.blocks.values().flat_map(|data| &data.insts);
    let mut terms = function.blocks.values().map(|data| &data.term.kind);
    if insts.any(|inst| matches!(inst.op, Op::Bind(_) | Op::Opaque(_)))
        || terms.any(|term| matches!(term, TerminatorKind::Enter(_)))
    {
        return Err(NoAnswer::Skip("MIR has neither thunks nor opaque operations".into()));
    }
    Ok(())
}

fn unusable(error: io::Error) -> NoAnswer {
    NoAnswer::Skip(format!("no place to compile in: {error}"))
}

fn compile(source: &Path, folder: &Path) -> Result<(), NoAnswer> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(&rustc)
        .arg(source)
        .args(["--edition", "2024", "--emit=mir", "-Zdump-mir-dataflow"])
        .arg("-Zdump-mir=ElaborateDrops | maybe_init | maybe_uninit")
        .arg(format!("-Zdump-mir-dir={}", folder.join("dumps").display()))
        .current_dir(folder)
        .env("RUSTC_BOOTSTRAP", "1")
        .stdin(Stdio::null())
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            let rustc = rustc.to_string_lossy().into_owned();
            return Err(NoAnswer::Skip(format!("`{rustc}` can't be run: {error}")));
        }
    };
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().find(|line| line.contains("error")).unwrap_or("no message");
    Err(NoAnswer::Error(format!("rustc: {first}")))
}

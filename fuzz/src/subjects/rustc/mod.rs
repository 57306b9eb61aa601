//! The rustc that is installed, as a subject: what its drop elaboration says of our functions.
//!
//! A function becomes custom MIR ([`print`]), which rustc is let elaborate the drops of; what it knew before,
//! and what it made of each drop, is read from its dumps ([`read`]). Only what bears on drops is
//! told it: integers vanish, and a branch may go either way.
//!
//! rustc answers in the reading [`Unwinding::Always`] for a function with a `try_drop`, since ways that unwind
//! are told it as ordinary ones; without one, both readings are the same.

mod print;
mod read;
#[cfg(test)]
mod tests;

use backedge_core::ir::{Function, Op, TerminatorKind};
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
}

/// The subject `rustc`: what `RUSTC` names, or else `rustc`.
#[derive(Clone, Debug, Default)]
pub struct Rustc {
    /// The last function, with what was said of it: often it is asked about in both readings.
    last: Option<(Function, DropsAnswer)>,
}

impl Subject for Rustc {
    fn name(&self) -> &str {
        "rustc"
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
        suitable(function, unwinding)?;
        if let Some((last, answer)) = &self.last
            && last == function
        {
            return Ok(answer.clone());
        }
        let program = print::program(function);
        let folder = tempfile::tempdir().map_err(unusable)?;
        let source = folder.path().join("f.rs");
        fs::write(&source, &program.text).map_err(unusable)?;
        compile(&source, folder.path())?;
        let dumps = read::Dumps::find(&folder.path().join("dumps"));
        let dumps = dumps.map_err(|why| NoAnswer::Skip(format!("an unsuitable rustc: {why}")))?;
        let answer = read::answer(function, &program, &dumps).map_err(NoAnswer::Nonsense)?;
        self.last = Some((function.clone(), answer.clone()));
        Ok(answer)
    }
}

/// What custom MIR can't say, or says in another reading.
fn suitable(function: &Function, unwinding: Unwinding) -> Result<(), NoAnswer> {
    let skip = |why: &str| Err(NoAnswer::Skip(why.to_owned()));
    let insts = || function.blocks.values().flat_map(|data| &data.insts);
    let terms = || function.blocks.values().map(|data| &data.term.kind);
    if insts().any(|inst| matches!(inst.op, Op::Bind(_) | Op::Opaque(_)))
        || terms().any(|term| matches!(term, TerminatorKind::Enter(_)))
    {
        return skip("MIR has neither thunks nor opaque operations");
    }
    let drops = terms().any(|term| matches!(term, TerminatorKind::TryDrop { .. }));
    if drops && unwinding == Unwinding::WhereInitialized {
        return skip("unwind edges of drops are told rustc as ordinary ones");
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

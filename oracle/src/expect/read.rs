//! Reads expectations out of directives.

use crate::subject::DropClass;
use backedge_core::diagnostic::{Diagnostic, Span};
use backedge_core::ir::{Block, Directive, Function, Program, Type};

/// One expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// Number of the function in the program.
    pub function: usize,
    /// What it is about.
    pub what: What,
    /// The names that must be answered, sorted; each as often as it must be.
    pub expected: Vec<String>,
    /// Where it stands.
    pub span: Span,
}

/// An edge, by its successor slot.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it starts.
    pub from: Block,
    /// Which successor of `from` it is.
    pub slot: usize,
    /// Where it ends.
    pub to: Block,
}

/// What an expectation is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// `live_in B`
    LiveIn(Block),
    /// `live_out B`
    LiveOut(Block),
    /// `edge A -> B`, `edge A -> B #1`
    EdgeLive(Edge),
    /// `before B 0`
    Before(Block, usize),
    /// `after B 0`
    After(Block, usize),
    /// `succs B`
    Succs(Block),
    /// `preds B`
    Preds(Block),
    /// `idom B`
    Idom(Block),
    /// `loop B`
    Loop(Block),
    /// `loops`
    Loops,
    /// `reachable`
    Reachable,
    /// `unreachable`
    Unreachable,
    /// `reducible`
    Reducible,
    /// `never_returns`
    NeverReturns,
    /// `critical`
    Critical,
    /// `const_in B`
    ConstIn(Block),
    /// `folds B`
    Folds(Block),
    /// `executable B`
    Taken(Block),
    /// `drop B 0`
    Drop(Block, usize),
    /// `maybe_init B`
    MaybeInit(Block),
    /// `maybe_uninit B`
    MaybeUninit(Block),
}

/// The first words of all expectations.
const WORDS: [&str; 21] = [
    "live_in",
    "live_out",
    "edge",
    "before",
    "after",
    "succs",
    "preds",
    "idom",
    "loop",
    "loops",
    "reachable",
    "unreachable",
    "reducible",
    "never_returns",
    "critical",
    "const_in",
    "folds",
    "executable",
    "drop",
    "maybe_init",
    "maybe_uninit",
];

/// Every expectation of a program, by function.
///
/// A directive whose key is one other word is none (`;; check: liveness`), unless it looks like a
/// misspelled one.
///
/// # Errors
/// One diagnostic a mistake: `unknown-expectation`, `malformed-expectation`, `unknown-function`,
/// `unknown-block`, `unknown-local`, `unknown-edge`, `ambiguous-edge`, `no-such-instruction`.
pub fn read(program: &Program) -> Result<Vec<Expectation>, Vec<Diagnostic>> {
    let (mut expectations, mut mistakes) = (Vec::new(), Vec::new());
    for directive in &program.directives {
        match read_one(program, directive) {
            Ok(expectation) => expectations.extend(expectation),
            Err(mistake) => mistakes.push(mistake),
        }
    }
    expectations.sort_by_key(|expectation: &Expectation| expectation.function);
    if mistakes.is_empty() { Ok(expectations) } else { Err(mistakes) }
}

fn read_one(program: &Program, directive: &Directive) -> Result<Option<Expectation>, Diagnostic> {
    let mut words: Vec<&str> = directive.key.split_whitespace().collect();
    let Some(word) = (!words.is_empty()).then(|| words.remove(0)) else { return Ok(None) };
    if !WORDS.contains(&word) {
        return match unknown(word, !words.is_empty(), directive.span) {
            Some(mistake) => Err(mistake),
            None => Ok(None),
        };
    }
    let name = words.first().and_then(|word| word.strip_prefix('@'));
    if name.is_some() {
        words.remove(0);
    }
    let is_meant = |f: &Function| name.is_none_or(|name| f.name == name);
    let Some(function) = program.functions.iter().position(is_meant) else {
        let text = format!("there is no function `@{}`", name.unwrap_or_default());
        return Err(Diagnostic::new("unknown-function", directive.span, text));
    };
    let reader = Reader { function: &program.functions[function], span: directive.span };
    let what = reader.what(word, &words)?;
    let expected = reader.expected(&what, &directive.value)?;
    Ok(Some(Expectation { function, what, expected, span: directive.span }))
}

/// What is wrong with a directive that has no known first word, if anything.
fn unknown(word: &str, has_more: bool, span: Span) -> Option<Diagnostic> {
    let near = WORDS.into_iter().find(|known| distance(known, word) <= 2);
    if near.is_none() && !has_more {
        return None;
    }
    let mistake =
        Diagnostic::new("unknown-expectation", span, format!("there is no expectation `{word}`"));
    Some(match near {
        Some(near) => mistake.help(format!("`{near}` is one")),
        None => mistake.help(format!("known are {}", WORDS.join(", "))),
    })
}

/// How many letters must be inserted, removed or replaced to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, a) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &b) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// Reads one directive about one function.
struct Reader<'f> {
    function: &'f Function,
    span: Span,
}

impl Reader<'_> {
    fn what(&self, word: &str, rest: &[&str]) -> Result<What, Diagnostic> {
        Ok(match (word, rest) {
            ("live_in", [b]) => What::LiveIn(self.block(b)?),
            ("live_out", [b]) => What::LiveOut(self.block(b)?),
            ("edge", [from, "->", to]) => What::EdgeLive(self.edge(from, to, None)?),
            ("edge", [from, "->", to, slot]) => {
                let slot = slot.strip_prefix('#').and_then(|slot| slot.parse().ok());
                let slot = slot.ok_or_else(|| self.malformed("a slot is written as `#1`"))?;
                What::EdgeLive(self.edge(from, to, Some(slot))?)
            }
            ("before", [b, inst]) => {
                let (block, inst) = self.inst(b, inst)?;
                What::Before(block, inst)
            }
            ("after", [b, inst]) => {
                let (block, inst) = self.inst(b, inst)?;
                What::After(block, inst)
            }
            ("succs", [b]) => What::Succs(self.block(b)?),
            ("preds", [b]) => What::Preds(self.block(b)?),
            ("idom", [b]) => What::Idom(self.block(b)?),
            ("loop", [b]) => What::Loop(self.block(b)?),
            ("loops", []) => What::Loops,
            ("reachable", []) => What::Reachable,
            ("unreachable", []) => What::Unreachable,
            ("reducible", []) => What::Reducible,
            ("never_returns", []) => What::NeverReturns,
            ("critical", []) => What::Critical,
            ("const_in", [b]) => What::ConstIn(self.block(b)?),
            ("folds", [b]) => What::Folds(self.block(b)?),
            ("executable", [b]) => What::Taken(self.block(b)?),
            ("drop", [b, inst]) => {
                let (block, inst) = self.inst(b, inst)?;
                What::Drop(block, inst)
            }
            ("maybe_init", [b]) => What::MaybeInit(self.block(b)?),
            ("maybe_uninit", [b]) => What::MaybeUninit(self.block(b)?),
            _ => return Err(self.malformed(form(word))),
        })
    }

    /// The names on the right of the colon, checked and sorted.
    fn expected(&self, what: &What, value: &str) -> Result<Vec<String>, Diagnostic> {
        let names = value.split(',').map(str::trim).filter(|name| !name.is_empty());
        let mut expected = match what {
            What::Reducible | What::NeverReturns => match value {
                "yes" | "no" => Ok(vec![value.to_owned()]),
                _ => Err(self.malformed("the answer is `yes` or `no`")),
            },
            What::LiveIn(_)
            | What::LiveOut(_)
            | What::EdgeLive(_)
            | What::Before(..)
            | What::After(..) => names.map(|name| self.local(name)).collect(),
            What::Drop(..) => match DropClass::ALL.iter().any(|class| class.name() == value) {
                true => Ok(vec![value.to_owned()]),
                false => Err(self.malformed(
                    "a class is `static`, `dead`, `conditional`, `open` or `unclassified`",
                )),
            },
            What::MaybeInit(_) | What::MaybeUninit(_) => {
                names.map(|name| self.resource(name)).collect()
            }
            What::ConstIn(_) if value == "never" => Ok(vec![value.to_owned()]),
            What::ConstIn(_) => names.map(|name| self.known(name)).collect(),
            What::Folds(block) => names.map(|name| self.fold(*block, name)).collect(),
            What::Critical => names.map(|name| self.named_edge(name)).collect(),
            _ => names.map(|name| self.block(name).map(|_| name.to_owned())).collect(),
        }?;
        expected.sort_unstable();
        Ok(expected)
    }

    fn block(&self, name: &str) -> Result<Block, Diagnostic> {
        self.function
            .block_named(name)
            .ok_or_else(|| self.error("unknown-block", format!("there is no block `{name}`")))
    }

    fn local(&self, name: &str) -> Result<String, Diagnostic> {
        let name = name.strip_prefix('%').unwrap_or(name);
        match self.function.local_named(name) {
            Some(_) => Ok(name.to_owned()),
            None => Err(self.error("unknown-local", format!("there is no local `%{name}`"))),
        }
    }

    /// `i = 3`, `n = overdefined`
    fn known(&self, text: &str) -> Result<String, Diagnostic> {
        let form = "this is written with what each local holds: `i = 3, n = overdefined`";
        let Some((name, known)) = text.split_once('=') else { return Err(self.malformed(form)) };
        let (name, known) = (self.local(name.trim())?, known.trim());
        if known != "overdefined" && known.parse::<i64>().is_err() {
            return Err(self.malformed(form));
        }
        Ok(format!("{name} = {known}"))
    }

    /// `p`, `p.0.1`
    fn resource(&self, name: &str) -> Result<String, Diagnostic> {
        let name = name.strip_prefix('%').unwrap_or(name);
        let mut parts = name.split('.');
        let local = self.local(parts.next().unwrap_or_default())?;
        let path: Result<Vec<u32>, _> = parts.map(str::parse).collect();
        let of = self.function.local_named(&local);
        let ty = of.map(|local| &self.function.locals[local].ty);
        match path.ok().and_then(|path| ty?.at(&path)) {
            Some(Type::Own) => Ok(name.to_owned()),
            _ => Err(self.error("bad-place", format!("`%{name}` is no resource"))),
        }
    }

    /// `0 = 7`
    fn fold(&self, block: Block, text: &str) -> Result<String, Diagnostic> {
        let form = "this is written with instructions and their values: `0 = 7`";
        let Some((inst, value)) = text.split_once('=') else { return Err(self.malformed(form)) };
        let (_, inst) = self.inst(&self.function.blocks[block].name, inst.trim())?;
        let value: i64 = value.trim().parse().map_err(|_| self.malformed(form))?;
        Ok(format!("{inst} = {value}"))
    }

    fn inst(&self, block: &str, inst: &str) -> Result<(Block, usize), Diagnostic> {
        let block = self.block(block)?;
        let last = self.function.blocks[block].insts.len();
        match inst.parse() {
            Ok(inst) if inst <= last => Ok((block, inst)),
            Ok(_) => {
                let text = format!("the last instruction, the terminator, has number {last}");
                Err(self.error("no-such-instruction", text))
            }
            Err(_) => Err(self.malformed("an instruction is written as its number, from 0")),
        }
    }

    fn edge(&self, from: &str, to: &str, slot: Option<usize>) -> Result<Edge, Diagnostic> {
        let (from_block, to_block) = (self.block(from)?, self.block(to)?);
        let targets = self.function.blocks[from_block].term.kind.targets();
        let is_meant = |at: usize| slot.is_none_or(|slot| slot == at);
        let mut meant =
            (0..targets.len()).filter(|&at| targets[at].block == to_block && is_meant(at));
        match (meant.next(), meant.next()) {
            (Some(slot), None) => Ok(Edge { from: from_block, slot, to: to_block }),
            (Some(_), Some(_)) => {
                let text = format!("there are several edges `{from} -> {to}`");
                let mistake = self.error("ambiguous-edge", text);
                Err(mistake.help("name the slot: `edge a -> b #1`"))
            }
            (None, _) => {
                let slot = slot.map(|slot| format!(" #{slot}")).unwrap_or_default();
                Err(self.error("unknown-edge", format!("there is no edge `{from} -> {to}{slot}`")))
            }
        }
    }

    fn named_edge(&self, text: &str) -> Result<String, Diagnostic> {
        let Some((from, to)) = text.split_once("->") else {
            return Err(self.malformed("an edge is written as `a -> b`"));
        };
        let (from, to) = (from.trim(), to.trim());
        self.block(from)?;
        self.block(to)?;
        Ok(format!("{from} -> {to}"))
    }

    fn malformed(&self, text: &str) -> Diagnostic {
        self.error("malformed-expectation", text)
    }

    fn error(&self, code: &'static str, text: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, self.span, text)
    }
}

/// How an expectation is written.
fn form(word: &str) -> &'static str {
    match word {
        "edge" => "this is written as `edge a -> b: x, y` or `edge a -> b #1: x, y`",
        "before" | "after" => "this is written with a block and a number: `after head 0: x, y`",
        "loops" | "reachable" | "unreachable" => "this is written with blocks alone: `loops: a, b`",
        "const_in" => "this is written with one block: `const_in head: i = 3, n = overdefined`",
        "drop" => "this is written with a block and a number: `drop done 0: conditional`",
        "maybe_init" | "maybe_uninit" => {
            "this is written with one block: `maybe_init done: p, q.1`"
        }
        "folds" => "this is written with one block: `folds head: 0 = 7`",
        "reducible" | "never_returns" => "this is written without a block: `reducible: yes`",
        "critical" => "this is written with edges alone: `critical: a -> b`",
        _ => "this is written with one block: `live_in head: x, y`",
    }
}

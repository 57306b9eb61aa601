//! Splits a file into bodies, and a body into its head, its locals and the lines of its blocks.
//!
//! This works by lines and their first column, in one pass: rustc prints a statement a line, and
//! only assembly, whose text is printed raw, takes several. What stands inside a line is left to
//! [`super::statement`] and [`super::terminator`].

use super::asm;
use super::mistakes::Mistakes;
use super::scan::{Cursor, find};
use backedge_core::diagnostic::{Sink, Span};

/// A piece of the text, without the space around it.
#[derive(Copy, Clone, Debug)]
pub(super) struct Line<'t> {
    pub(super) text: &'t str,
    pub(super) span: Span,
}

/// `_1: T` of a head, `let mut _1: T;` of a body.
#[derive(Clone, Debug)]
pub(super) struct Decl<'t> {
    pub(super) number: u32,
    pub(super) ty: &'t str,
    pub(super) span: Span,
}

/// `bb1 (cleanup): {`, with the lines up to `}`; semicolons are taken off.
#[derive(Clone, Debug)]
pub(super) struct RawBlock<'t> {
    pub(super) number: u32,
    pub(super) cleanup: bool,
    pub(super) lines: Vec<Line<'t>>,
    pub(super) span: Span,
}

/// A function, a constant, a static, a promoted constant.
#[derive(Clone, Debug)]
pub(super) struct RawBody<'t> {
    pub(super) name: &'t str,
    pub(super) params: Vec<Decl<'t>>,
    pub(super) locals: Vec<Decl<'t>>,
    pub(super) blocks: Vec<RawBlock<'t>>,
    pub(super) span: Span,
}

/// What a file holds.
#[derive(Debug, Default)]
pub(super) struct Split<'t> {
    /// Bodies without a mistake in their outline.
    pub(super) bodies: Vec<RawBody<'t>>,
    /// Whether anything at all looks like MIR.
    pub(super) is_mir: bool,
}

/// Splits a file; tells what could not be split.
pub(super) fn split<'t>(text: &'t str, sink: &mut Sink) -> Split<'t> {
    let mut split = Split::default();
    let mut lines = Lines { text, at: 0 };
    let mut strange = false;
    while let Some(line) = lines.next() {
        let was_strange = std::mem::take(&mut strange);
        match outside(line.text) {
            Outside::Nothing => strange = was_strange && line.text.trim().is_empty(),
            Outside::Marker => split.is_mir = true,
            Outside::Until(end) => {
                split.is_mir = true;
                while lines.next().is_some_and(|line| line.text.trim_end() != end) {}
            }
            Outside::Head => {
                split.is_mir = true;
                let mistakes = Mistakes::new(sink);
                split.bodies.extend(body(line, &mut lines, mistakes));
            }
            Outside::Strange if was_strange => strange = true,
            Outside::Strange => {
                strange = true;
                let message = "this is no function, constant or static of MIR";
                Mistakes::new(sink).tell("mir-item", line.trimmed().span, message);
            }
        }
    }
    split
}

/// What a line between bodies is.
enum Outside {
    /// Blank, or a comment.
    Nothing,
    /// Something without code that MIR alone has, such as a constant in one line.
    Marker,
    /// Opens something that ends with this line and holds no code.
    Until(&'static str),
    /// The head of a body.
    Head,
    Strange,
}

fn outside(line: &str) -> Outside {
    let end = line.trim_end();
    if end.is_empty() {
        return Outside::Nothing;
    }
    if end.starts_with("// WARNING: This output format") {
        return Outside::Marker;
    }
    if end.starts_with("//") || end.starts_with('|') {
        return Outside::Nothing;
    }
    if end.starts_with("/*") {
        return if end.ends_with("*/") { Outside::Marker } else { Outside::Until("} */") };
    }
    let mut cursor = Cursor::new(end);
    if (cursor.eat("alloc") || cursor.eat("ALLOC")) && cursor.number().is_some() && cursor.eat(" (")
    {
        return if end.ends_with(" {") { Outside::Until("}") } else { Outside::Marker };
    }
    if end.ends_with(" {") && !end.starts_with(char::is_whitespace) {
        return Outside::Head;
    }
    if end.starts_with("fn ") {
        return Outside::Head;
    }
    if end.starts_with("const ") && end.ends_with(';') { Outside::Marker } else { Outside::Strange }
}

/// Reads a body whose head starts in `line`, up to its `}` in the first column.
fn body<'t>(
    line: Line<'t>,
    lines: &mut Lines<'t>,
    mut mistakes: Mistakes<'_>,
) -> Option<RawBody<'t>> {
    let mut head = line;
    // A coroutine's head goes on with a line `yields T`, and another for the brace.
    while !head.text.trim_end().ends_with('{') {
        match lines.peek() {
            Some(next) if next.text.starts_with("yields ") || next.text.trim() == "{" => {
                lines.next();
                let [start, end] = [line.span.start as usize, next.span.end as usize];
                head = Line { text: &lines.text[start..end], span: Span::new(start, end) };
            }
            _ => break,
        }
    }
    let mut body = RawBody {
        name: "",
        params: Vec::new(),
        locals: Vec::new(),
        blocks: Vec::new(),
        span: line.trimmed().span,
    };
    if self::head(head.trimmed(), &mut body).is_none() {
        mistakes.tell("mir-head", body.span, "the head of this body can't be read");
    }
    inside(lines, &mut body, &mut mistakes);
    if body.blocks.is_empty() && !mistakes.any() {
        mistakes.tell("mir-body", body.span, "this body has no blocks");
    }
    (!mistakes.any()).then_some(body)
}

/// Reads a head: `fn NAME(_1: T, ..) -> T {`, `const NAME: T = {`.
fn head<'t>(line: Line<'t>, body: &mut RawBody<'t>) -> Option<()> {
    let text = line.text.strip_suffix('{')?;
    let Some(after) = text.strip_prefix("fn ") else {
        let prefixes = ["const ", "static mut ", "static "];
        let named = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix)).unwrap_or(text);
        let colon = |at: usize, b: u8| b == b':' && named[at..].starts_with(": ");
        body.name = &named[..find(named, 0, colon)?];
        return named.trim_end().ends_with('=').then_some(());
    };
    let open = find(after, 0, |_, b| b == b'(')?;
    body.name = &after[..open];
    let mut cursor = Cursor::new(&after[open + 1..]);
    while !cursor.eat(")") {
        let param = cursor.until(|b| matches!(b, b',' | b')'));
        body.params.push(decl(param, line.span)?);
        cursor.eat(", ");
        if cursor.is_done() {
            return None;
        }
    }
    cursor.eat(" -> ").then_some(())
}

/// `_1: T`
fn decl(text: &str, span: Span) -> Option<Decl<'_>> {
    let mut cursor = Cursor::new(text);
    let number = cursor.eat("_").then(|| cursor.number())??;
    cursor.eat(": ").then(|| Decl { number, ty: cursor.rest(), span })
}

/// Reads what stands between the braces of a body.
fn inside<'t>(lines: &mut Lines<'t>, body: &mut RawBody<'t>, mistakes: &mut Mistakes<'_>) {
    let mut block: Option<RawBlock<'t>> = None;
    while let Some(line) = lines.peek() {
        let ends = line.text.starts_with('}');
        if !ends && matches!(outside(line.text), Outside::Head) {
            break;
        }
        lines.next();
        if ends {
            body.blocks.extend(block);
            return;
        }
        let line = line.trimmed();
        if line.text.is_empty() || line.text.starts_with("//") || line.text.starts_with('|') {
            continue;
        }
        let Some(open) = &mut block else {
            match between(line, body) {
                Between::Known => {}
                Between::Block(opened) => block = Some(opened),
                Between::Strange => {
                    let message = "this is no declaration, scope or block of MIR";
                    mistakes.tell("mir-line", line.span, message);
                }
            }
            continue;
        };
        if line.text == "}" {
            body.blocks.extend(block.take());
        } else if let Some(statement) = statement(line, lines) {
            open.lines.push(statement);
        } else {
            mistakes.tell("mir-statement", line.span, "this statement has no end");
        }
    }
    mistakes.tell("mir-body", body.span, "this body has no end");
}

/// What a line of a body is that stands in no block.
enum Between<'t> {
    Known,
    Block(RawBlock<'t>),
    Strange,
}

fn between<'t>(line: Line<'t>, body: &mut RawBody<'t>) -> Between<'t> {
    let text = line.text;
    if let Some(declared) = text.strip_prefix("let ") {
        let declared = declared.strip_prefix("mut ").unwrap_or(declared);
        let end = find(declared, 0, |_, b| b == b';').unwrap_or(declared.len());
        return match decl(&declared[..end], line.span) {
            Some(decl) if end < declared.len() => {
                body.locals.push(decl);
                Between::Known
            }
            _ => Between::Strange,
        };
    }
    let scope = ["debug ", "scope ", "coverage "].iter().any(|word| text.starts_with(word));
    if scope || text == "}" {
        return Between::Known;
    }
    opened(line).map_or(Between::Strange, Between::Block)
}

/// `bb1: {`, `bb1 (cleanup): {`
fn opened(line: Line<'_>) -> Option<RawBlock<'_>> {
    let mut cursor = Cursor::new(line.text);
    let number = cursor.eat("bb").then(|| cursor.number())??;
    let cleanup = cursor.eat(" (cleanup)");
    let known = cursor.eat(": {");
    known.then(|| RawBlock { number, cleanup, lines: Vec::new(), span: line.span })
}

/// Takes the semicolon and what follows it off a statement, and reads more lines for assembly.
fn statement<'t>(line: Line<'t>, lines: &mut Lines<'t>) -> Option<Line<'t>> {
    if !line.text.starts_with("asm!(") {
        let end = find(line.text, 0, |_, b| b == b';')?;
        let rest = line.text[end + 1..].trim_start();
        return (rest.is_empty() || rest.starts_with("//")).then(|| line.cut(end));
    }
    let start = line.span.start as usize;
    let mut last = line;
    loop {
        if let Some(end) = asm::end(last.text) {
            let end = last.span.start as usize + end;
            let whole = Line { text: &lines.text[start..end], span: Span::new(start, end) };
            return Some(whole);
        }
        // No template holds a lone brace: it would print as two.
        let next = lines.peek().filter(|next| next.text.trim() != "}")?;
        lines.next();
        last = next;
    }
}

impl<'t> Line<'t> {
    fn trimmed(self) -> Line<'t> {
        let start = self.text.len() - self.text.trim_start().len();
        let text = self.text.trim();
        let start = self.span.start as usize + start;
        Line { text, span: Span::new(start, start + text.len()) }
    }

    fn cut(self, len: usize) -> Line<'t> {
        let start = self.span.start as usize;
        Line { text: &self.text[..len], span: Span::new(start, start + len) }
    }
}

/// The lines of a file.
struct Lines<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lines<'t> {
    fn peek(&self) -> Option<Line<'t>> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let len = rest.find('\n').unwrap_or(rest.len());
        Some(Line { text: &rest[..len], span: Span::new(self.at, self.at + len) })
    }

    fn next(&mut self) -> Option<Line<'t>> {
        let line = self.peek()?;
        self.at += line.text.len() + 1;
        Some(line)
    }
}

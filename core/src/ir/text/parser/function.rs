//! Functions: head, body, and the state of the one that is being read.

use super::for_loop::{Brace, LoopNames};
use super::infer::Hint;
use super::labels::Labels;
use super::phi::Phi;
use super::{Parser, Reported, Result};
use crate::diagnostic::{Diagnostic, Span};
use crate::ir::text::lexer::TokenKind;
use crate::ir::text::marks::Mark;
use crate::ir::text::names::shorten;
use crate::ir::{
    Block, BlockData, Function, Inst, Local, LocalData, Name, Terminator, TerminatorKind, Type,
};
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;

/// A function that is being read. Until it ends, its targets hold the numbers of labels, not of
/// blocks; until the text ends, its locals are `int`.
pub(super) struct FunctionParse {
    pub(super) function: Function,
    /// Something within it was reported.
    pub(super) broken: bool,
    /// Its head could not be read.
    headless: bool,
    pub(super) labels: Labels,
    pub(super) hints: SecondaryMap<Local, Hint>,
    pub(super) phis: Vec<Phi>,
    /// The `{` that are open within the body.
    pub(super) braces: Vec<Brace>,
    pub(super) loops: Vec<LoopNames>,
    /// The block that statements go to: none before the first label and after a terminator.
    pub(super) current: Option<Block>,
    /// Something since the last label could not be read or has no block: more is not reported.
    uncertain: bool,
    /// Some label may not have been read.
    lost_label: bool,
    names: FxHashMap<Name, Local>,
}

impl FunctionParse {
    pub(super) fn new(name: Name) -> FunctionParse {
        FunctionParse {
            function: Function::new(name),
            broken: false,
            headless: false,
            labels: Labels::default(),
            hints: SecondaryMap::new(),
            phis: Vec::new(),
            braces: Vec::new(),
            loops: Vec::new(),
            current: None,
            uncertain: false,
            lost_label: false,
            names: FxHashMap::default(),
        }
    }

    /// The local called `name`, made if this is its first occurrence.
    pub(super) fn local(&mut self, name: Name, span: Span) -> Local {
        let locals = &mut self.function.locals;
        *self.names.entry(name).or_insert_with_key(|name| {
            locals.push(LocalData { name: name.clone(), ty: Type::Int, span })
        })
    }

    /// A local that no name of the text can mean. It is named when the function ends.
    pub(super) fn fresh_local(&mut self, span: Span) -> Local {
        self.function.locals.push(LocalData { name: Name::default(), ty: Type::Int, span })
    }

    /// Whether the text names this local.
    pub(super) fn has_local(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// Starts the block that the label in `label` means, and makes it the current one.
    pub(super) fn start_block(&mut self, label: Block, name: Name, span: Span) -> Block {
        let data = BlockData {
            name,
            params: Vec::new(),
            insts: Vec::new(),
            term: TerminatorKind::Unreachable.into(),
            span,
        };
        let blocks = &mut self.function.blocks;
        // Of a function with a mistake only the latest block is kept, to speak of.
        let block = match blocks.last().map(|(last, _)| last) {
            Some(last) if self.broken => {
                blocks[last] = data;
                last
            }
            _ => blocks.push(data),
        };
        self.labels.define(label, block);
        self.current = Some(block);
        self.uncertain = false;
        block
    }

    /// Ends the current block.
    pub(super) fn end_block(&mut self, kind: TerminatorKind, span: Span) {
        if let Some(block) = self.current.take() {
            self.function.blocks[block].term = Terminator { kind, span };
        }
    }
}

impl Parser<'_, '_> {
    /// `ssa fn @name(%p: type, ..) -> type { .. }`
    pub(super) fn function(&mut self) -> Result<()> {
        let start = self.token.span;
        let ssa = self.at_word("ssa");
        if ssa {
            self.bump();
        }
        self.expect_word("fn")?;
        let token = self.expect(TokenKind::Global, "`@` and a name")?;
        let mut parse = FunctionParse::new(self.name(token)?);
        parse.function.ssa = ssa;
        self.open_paren("the parameters")?;
        self.paren_list(|p| {
            let local = p.parameter(&mut parse)?;
            parse.function.params.push(local);
            Ok(())
        })?;
        parse.function.ret = self.result_type()?;
        parse.function.span = Span { start: start.start, end: self.prev_end };
        self.expect(TokenKind::LBrace, "`{`")?;
        self.body(&mut parse);
        self.end_function(&mut parse);
        self.functions.push(parse);
        Ok(())
    }

    /// Reads the body that follows a head with a mistake in it, for the sake of other mistakes.
    pub(super) fn headless_function(&mut self, opened: usize) {
        let mut parse = FunctionParse::new(Name::default());
        (parse.broken, parse.headless) = (true, true);
        parse.braces.resize_with(opened.saturating_sub(1), || Brace::Stray);
        self.body(&mut parse);
    }

    /// `%p: type`, where the type may be left out if it is `int`.
    pub(super) fn parameter(&mut self, parse: &mut FunctionParse) -> Result<Local> {
        let token = self.expect(TokenKind::Local, "a parameter such as `%p: int`")?;
        let local = parse.local(self.name(token)?, token.span);
        self.mark(Mark::Param, token.span);
        if !self.annotation(parse, local)? {
            parse.hint(local, || Hint::Known(Type::Int));
        }
        Ok(local)
    }

    /// Reads statements up to the `}` that ends the function.
    fn body(&mut self, parse: &mut FunctionParse) {
        loop {
            while self.eat(TokenKind::Newline) {}
            match self.token.kind {
                TokenKind::RBrace => {
                    let brace = self.bump();
                    match parse.braces.pop() {
                        Some(open) => parse.close_brace(open),
                        None => return self.end_of_body(parse, brace.span),
                    }
                }
                TokenKind::End => return self.unclosed(parse),
                TokenKind::Word if self.at_item() => return self.unclosed(parse),
                kind => {
                    if let Err(Reported) = self.statement(parse) {
                        parse.lost_label |= !matches!(kind, TokenKind::Local | TokenKind::Word);
                        self.recover_in_body(parse);
                    }
                }
            }
        }
    }

    fn recover_in_body(&mut self, parse: &mut FunctionParse) {
        parse.broken = true;
        // It may have been a terminator.
        parse.uncertain = true;
        let passed = self.recover();
        parse.lost_label |= passed.lines;
        for _ in 0..passed.braces {
            parse.braces.push(Brace::Stray);
        }
    }

    /// Whether a declaration starts here, which can't be within a function.
    fn at_item(&self) -> bool {
        let second = self.peek_second();
        (self.at_word("fn") || self.at_word("extern")) && second == TokenKind::Global
            || self.at_word("ssa") && second == TokenKind::Word
    }

    fn unclosed(&mut self, parse: &mut FunctionParse) {
        parse.broken = true;
        if parse.headless {
            // Perhaps there is no body.
            return;
        }
        let span = Span { start: self.prev_end, end: self.prev_end };
        let diagnostic = Diagnostic::new("unclosed-function", span, "a `}` is missing here")
            .note(parse.function.span, "to end this function");
        self.report(diagnostic);
    }

    fn end_of_body(&mut self, parse: &mut FunctionParse, brace: Span) {
        if let Some(block) = parse.current {
            self.missing_terminator(parse, block, brace);
        }
    }

    /// Reports that `block` does not end before what stands at `span`.
    pub(super) fn missing_terminator(
        &mut self,
        parse: &mut FunctionParse,
        block: Block,
        span: Span,
    ) {
        parse.broken = true;
        if !parse.uncertain {
            let data = &parse.function.blocks[block];
            let name = shorten(&data.name);
            let message = format!("block `{name}` must end in a terminator before this");
            let diagnostic = Diagnostic::new("missing-terminator", span, message)
                .note(data.span, "the block starts here")
                .help("nothing falls through: `jump` to the next block, or `return`");
            self.report(diagnostic);
        }
    }

    /// Appends an instruction to the current block.
    pub(super) fn append(&mut self, parse: &mut FunctionParse, inst: Inst) {
        match parse.current {
            Some(block) if !parse.broken => parse.function.blocks[block].insts.push(inst),
            Some(_) => {}
            None => self.homeless(parse, inst.span),
        }
    }

    /// Reports a statement that stands in no block: one for a run of them.
    pub(super) fn homeless(&mut self, parse: &mut FunctionParse, span: Span) {
        parse.broken = true;
        if std::mem::replace(&mut parse.uncertain, true) {
            return;
        }
        let diagnostic = match parse.function.blocks.last() {
            None => Diagnostic::new("missing-label", span, "a block must start with a label")
                .help("put `entry:` on the line before"),
            Some((_, last)) => {
                let message = "nothing can follow a terminator but a label";
                Diagnostic::new("statement-after-terminator", span, message)
                    .note(last.term.span, "the block ends here")
                    .help("start a new block with a label")
            }
        };
        self.report(diagnostic);
    }

    /// Does what had to wait until every label is known.
    fn end_function(&mut self, parse: &mut FunctionParse) {
        if !parse.broken {
            parse.name_loops();
            parse.labels.resolve(&mut parse.function, self.sink);
            self.place_phis(parse);
        } else if !parse.lost_label {
            parse.labels.report_undefined(self.sink);
        }
    }
}

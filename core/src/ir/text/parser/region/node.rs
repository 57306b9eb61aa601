//! Nodes and ends of regions.

use super::RegionParse;
use crate::diagnostic::{Diagnostic, Span};
use crate::ir::text::lexer::{Token, TokenKind};
use crate::ir::text::parser::infer::Hint;
use crate::ir::text::parser::{Parser, Result};
use crate::ir::{Local, Operands, Place, Type};
use crate::thunks::{Bind, End, Goal, Loop, Match, Node, On, Select};

impl Parser<'_, '_> {
    /// Reads the end of a region, if one stands here.
    pub(super) fn region_end(&mut self, parse: &mut RegionParse) -> Result<bool> {
        let token = self.token;
        if !self.at(TokenKind::Word) {
            return Ok(false);
        }
        let word = self.slice(token);
        if !matches!(word, "yield" | "repeat" | "return" | "resume" | "unreachable" | "enter") {
            return Ok(false);
        }
        self.bump();
        let end = match word {
            "yield" => End::Yield(self.yielded(parse)?),
            "repeat" => self.repeat(parse)?,
            "return" if self.at_line_end() => End::Return(None),
            "return" => End::Return(Some(self.operand(&mut parse.base)?)),
            "resume" => End::Resume,
            "enter" => End::Enter(self.read_local(&mut parse.base, "a local")?),
            _ => End::Unreachable,
        };
        self.end_of_statement()?;
        if let Some(open) = parse.open.last() {
            let data = &mut parse.regions[open.region];
            data.end = end;
            data.end_span = token.span.to(Span { start: 0, end: self.prev_end });
        }
        Ok(true)
    }

    fn at_line_end(&self) -> bool {
        matches!(self.token.kind, TokenKind::Newline | TokenKind::RBrace | TokenKind::End)
    }

    /// `a, b, ..`, perhaps nothing.
    fn yielded(&mut self, parse: &mut RegionParse) -> Result<Operands> {
        let mut values = Operands::new();
        if self.at_line_end() {
            return Ok(values);
        }
        loop {
            values.push(self.operand(&mut parse.base)?);
            if !self.eat(TokenKind::Comma) {
                return Ok(values);
            }
        }
    }

    /// `c (carried) else (outputs)`, where either may be left out.
    fn repeat(&mut self, parse: &mut RegionParse) -> Result<End> {
        let again = self.operand(&mut parse.base)?;
        let mut carried = Operands::new();
        if self.at(TokenKind::LParen) {
            carried = self.operands(&mut parse.base)?;
        }
        let mut outputs = Operands::new();
        if self.at_word("else") {
            self.bump();
            outputs = self.operands(&mut parse.base)?;
        }
        Ok(End::Repeat { again, carried, outputs })
    }

    /// Reads a plain instruction, a `bind`, or a node up to the `{` of its first region.
    pub(super) fn region_node(&mut self, parse: &mut RegionParse) -> Result<()> {
        let start = self.token.span;
        match self.token.kind {
            TokenKind::LParen => {
                let outputs = self.output_list(parse)?;
                self.expect(TokenKind::Equals, "`=`")?;
                let word = self.expect(TokenKind::Word, "`if`, `switch`, `loop` or the like")?;
                self.structured_node(parse, outputs, word, start)
            }
            TokenKind::Local if self.binds_follow() => self.bind(parse, start),
            TokenKind::Local => {
                self.assignment(&mut parse.base)?;
                self.plain(parse, start)
            }
            TokenKind::Word if self.at_structured() => {
                let word = self.bump();
                self.structured_node(parse, Vec::new(), word, start)
            }
            TokenKind::Word if !self.at_unstructured() => {
                self.keyword(&mut parse.base)?;
                self.plain(parse, start)
            }
            _ => Err(self.expected("an instruction, or the end of the region such as `yield`")),
        }
    }

    /// Takes over what was read as the instruction of a block.
    fn plain(&mut self, parse: &mut RegionParse, start: Span) -> Result<()> {
        match parse.take_inst() {
            Some(inst) if parse.base.phis.is_empty() => {
                parse.push(Node::Inst(inst));
                Ok(())
            }
            _ => {
                let message = "this can't stand in a region: values are joined by outputs";
                Err(self.report(Diagnostic::new("not-in-region", start, message)))
            }
        }
    }

    fn at_structured(&self) -> bool {
        let word = self.slice(self.token);
        matches!(word, "if" | "switch" | "loop" | "match" | "try_call" | "try_drop")
    }

    fn at_unstructured(&self) -> bool {
        matches!(self.slice(self.token), "jump" | "branch" | "for" | "local" | "phi")
    }

    /// Whether `%t = bind` or `%t: thunk = bind` stands here.
    fn binds_follow(&self) -> bool {
        let mut ahead = self.lexer;
        let mut token = ahead.next();
        if token.kind == TokenKind::Colon {
            ahead.next();
            token = ahead.next();
        }
        token.kind == TokenKind::Equals && self.slice(ahead.next()) == "bind"
    }

    /// `%t: thunk = bind L(args)`
    fn bind(&mut self, parse: &mut RegionParse, start: Span) -> Result<()> {
        let dest = self.output(parse)?;
        parse.base.hint(dest, || Hint::Known(Type::Thunk));
        self.expect(TokenKind::Equals, "`=`")?;
        self.expect_word("bind")?;
        if !self.at(TokenKind::Word) && !self.at(TokenKind::Str) {
            return Err(self.expected("the name of a region, `return` or `resume`"));
        }
        let token = self.bump();
        let (region, node) = match parse.open.last() {
            Some(open) => (open.region, parse.regions[open.region].nodes.len()),
            None => return Err(self.expected("a region")),
        };
        let to = match self.slice(token) {
            "return" => Goal::Return,
            "resume" => Goal::Resume,
            _ => {
                let name = self.name(token)?;
                parse.bound.push((region, node, name, token.span));
                Goal::Region(region)
            }
        };
        let mut args = Operands::new();
        if self.at(TokenKind::LParen) {
            args = self.operands(&mut parse.base)?;
        }
        let span = start.to(Span { start: 0, end: self.prev_end });
        self.end_of_statement()?;
        parse.push(Node::Bind(Bind { dest, to, args, span }));
        Ok(())
    }

    /// `%x` or `%x: type`, which is assigned.
    fn output(&mut self, parse: &mut RegionParse) -> Result<Local> {
        let local = self.local(&mut parse.base, "a local")?;
        self.annotation(&mut parse.base, local)?;
        Ok(local)
    }

    /// `(%x, %y: type, ..)`
    fn output_list(&mut self, parse: &mut RegionParse) -> Result<Vec<Local>> {
        let mut outputs = Vec::new();
        self.paren_list(|p| {
            let local = p.output(parse)?;
            parse.base.hint(local, || Hint::Known(Type::Int));
            outputs.push(local);
            Ok(())
        })?;
        Ok(outputs)
    }

    /// Reads what follows `word`, and opens the node's first region.
    fn structured_node(
        &mut self,
        parse: &mut RegionParse,
        outputs: Vec<Local>,
        word: Token,
        start: Span,
    ) -> Result<()> {
        let name = self.slice(word);
        if name == "match" || name == "loop" && self.at_word("match") {
            let again = name == "loop";
            if again {
                self.bump();
            }
            return self.matched(parse, outputs, again, start);
        }
        if name == "loop" {
            return self.repeated(parse, outputs, start);
        }
        let on = match name {
            "if" => On::If(self.operand(&mut parse.base)?),
            "switch" => On::Switch(self.operand(&mut parse.base)?, Vec::new()),
            "try_call" => self.tried_call(parse)?,
            "try_drop" => On::Drop(self.read_place(&mut parse.base)?),
            _ => {
                let message = "only selections, loops and matches have a list of outputs";
                return Err(self.report(Diagnostic::new("unknown-operation", word.span, message)));
            }
        };
        let span = start.to(Span { start: 0, end: self.prev_end });
        let node = Node::Select(Select { on, arms: Vec::new(), outputs, span });
        self.next_arm(parse, node)
    }

    /// `%d = @f(args)`, where the destination may be left out.
    fn tried_call(&mut self, parse: &mut RegionParse) -> Result<On> {
        let mut dest: Option<Place> = None;
        if self.at(TokenKind::Local) {
            dest = Some(self.dest(&mut parse.base)?.place);
            self.expect(TokenKind::Equals, "`=`")?;
        }
        let callee = self.callee()?;
        if let Some(place) = &dest
            && place.is_whole()
        {
            parse.base.hint(place.local, || Hint::Result(callee.clone()));
        }
        Ok(On::Call { dest, callee, args: self.operands(&mut parse.base)? })
    }

    /// `(%input: type = init, ..) {`
    fn repeated(
        &mut self,
        parse: &mut RegionParse,
        outputs: Vec<Local>,
        start: Span,
    ) -> Result<()> {
        let mut inits = Operands::new();
        let mut inputs = Vec::new();
        if self.at(TokenKind::LParen) {
            self.paren_list(|p| {
                inputs.push(p.parameter(&mut parse.base)?);
                p.expect(TokenKind::Equals, "`=`")?;
                inits.push(p.operand(&mut parse.base)?);
                Ok(())
            })?;
        }
        let span = start.to(Span { start: 0, end: self.prev_end });
        let open = self.expect(TokenKind::LBrace, "`{`")?.span;
        let node = Loop { body: parse.regions.next_key(), inits, outputs, span };
        let body = parse.open(Some(Node::Loop(node)), open);
        parse.regions[body].inputs = inputs;
        Ok(())
    }

    /// `%t case L(%input: type) {`
    fn matched(
        &mut self,
        parse: &mut RegionParse,
        outputs: Vec<Local>,
        again: bool,
        start: Span,
    ) -> Result<()> {
        let [output] = outputs[..] else {
            let message = "a match has one output, the thunk that it leaves with";
            return Err(self.report(Diagnostic::new("match-output", start, message)));
        };
        let thunk = self.read_local(&mut parse.base, "a thunk")?;
        let span = start.to(Span { start: 0, end: self.prev_end });
        self.next_arm(parse, Node::Match(Match { thunk, again, arms: Vec::new(), output, span }))
    }

    /// Ends the innermost region at its `}`, and goes on with the node that it lies in.
    pub(super) fn close_region(&mut self, parse: &mut RegionParse) -> Result<()> {
        let Some(open) = parse.open.pop() else { return Ok(()) };
        match open.within {
            None => Ok(()),
            Some(Node::Loop(node)) => {
                parse.push(Node::Loop(node));
                self.end_of_statement()
            }
            Some(mut node) => {
                match &mut node {
                    Node::Select(select) => select.arms.push(open.region),
                    Node::Match(node) => node.arms.push(open.region),
                    Node::Inst(_) | Node::Bind(_) | Node::Loop(_) => {}
                }
                self.next_arm(parse, node)
            }
        }
    }

    /// Opens the next region of a node, or appends the node if that was the last.
    fn next_arm(&mut self, parse: &mut RegionParse, mut node: Node) -> Result<()> {
        let mut head = false;
        let more = match &mut node {
            Node::Select(select) => self.select_arm(select)?,
            Node::Match(node) => {
                head = self.at_word("case") || node.arms.is_empty();
                if head {
                    self.expect_word("case")?;
                }
                head
            }
            Node::Inst(_) | Node::Bind(_) | Node::Loop(_) => false,
        };
        if !more {
            parse.push(node);
            return self.end_of_statement();
        }
        let region = parse.open(Some(node), self.token.span);
        if head {
            self.region_head(parse, region)?;
        }
        self.expect(TokenKind::LBrace, "`{`").map(drop)
    }

    /// Reads what stands before the `{` of the next arm, and tells whether there is one.
    fn select_arm(&mut self, select: &mut Select) -> Result<bool> {
        let arm = select.arms.len();
        match &mut select.on {
            On::Switch(_, keys) => {
                if self.at_word("case") {
                    self.bump();
                    let token = self.expect(TokenKind::Word, "an integer")?;
                    keys.push(self.int64(token)?);
                } else if arm == keys.len() {
                    self.expect_word("default")?;
                } else {
                    return Ok(false);
                }
                Ok(true)
            }
            _ if arm == 0 => Ok(true),
            On::If(_) if arm == 1 => self.expect_word("else").map(|_| true),
            On::Call { .. } | On::Drop(_) if arm == 1 => self.expect_word("unwind").map(|_| true),
            _ => Ok(false),
        }
    }
}

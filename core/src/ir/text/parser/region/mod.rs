//! Functions in region form. The grammar is in [`thunks::text`](crate::thunks::text).
//!
//! Plain instructions are read as those of a block are, into a block that is emptied again. Regions
//! that are open are on a stack, each with the node that it lies in. Of a function only the first
//! mistake is reported: what follows depends on which braces were meant.

mod node;

use super::function::FunctionParse;
use super::{Parser, Reported, Result, infer};
use crate::diagnostic::{Diagnostic, Sink, Span};
use crate::ir::text::directives;
use crate::ir::text::lexer::TokenKind;
use crate::ir::text::names::shorten;
use crate::ir::{Inst, Name};
use crate::thunks::{End, Goal, Node, Region, RegionData, RegionFunction, RegionProgram};
use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;

/// What came of a text.
pub(in crate::ir::text) struct ParsedRegions {
    /// The program; of no use where something was reported.
    pub(in crate::ir::text) program: RegionProgram,
    /// By function, whether something was reported within it.
    pub(in crate::ir::text) broken: Vec<bool>,
    /// Whether every declaration could be read.
    pub(in crate::ir::text) complete: bool,
}

/// Parses `text`, and reports mistakes to `sink`.
pub(in crate::ir::text) fn parse_regions(text: &str, sink: &mut Sink) -> ParsedRegions {
    let mut parser = Parser::new(text, 0, sink);
    let functions = parser.region_program();
    let parses = functions.iter().map(|parse| &parse.base);
    let results = infer::result_types(&parser.program.externs, parses);
    let broken = functions.iter().map(|parse| parse.base.broken).collect();
    let program = RegionProgram {
        directives: directives::collect(text),
        externs: std::mem::take(&mut parser.program.externs),
        memory: parser.program.memory,
        functions: functions.into_iter().map(|parse| parse.into_function(&results)).collect(),
    };
    ParsedRegions { program, broken, complete: parser.complete }
}

/// A function in region form that is being read.
pub(super) struct RegionParse {
    /// Its locals and their types; it has one block, for the instruction just read.
    base: FunctionParse,
    regions: PrimaryMap<Region, RegionData>,
    roots: Vec<Region>,
    open: Vec<Open>,
    names: FxHashMap<Name, Region>,
    /// Thunks by where they are bound: the node, and the name of the target.
    bound: Vec<(Region, usize, Name, Span)>,
}

/// A region that is being read.
struct Open {
    region: Region,
    /// The node that it lies in, as far as that was read. `None` for a root.
    within: Option<Node>,
}

impl RegionParse {
    fn new(name: Name) -> RegionParse {
        RegionParse {
            base: FunctionParse::new(name),
            regions: PrimaryMap::new(),
            roots: Vec::new(),
            open: Vec::new(),
            names: FxHashMap::default(),
            bound: Vec::new(),
        }
    }

    /// Opens a region within a node, or as a root.
    fn open(&mut self, within: Option<Node>, span: Span) -> Region {
        let region = self.regions.push(RegionData { span, ..RegionData::new(End::Unreachable) });
        self.open.push(Open { region, within });
        region
    }

    /// Appends a node to the innermost open region.
    fn push(&mut self, node: Node) {
        if let Some(open) = self.open.last() {
            self.regions[open.region].nodes.push(node);
        }
    }

    /// The instruction that was just read into the block.
    fn take_inst(&mut self) -> Option<Inst> {
        let block = self.base.current?;
        self.base.function.blocks[block].insts.pop()
    }

    fn into_function(mut self, results: &FxHashMap<Name, crate::ir::Type>) -> RegionFunction {
        self.base.assign_types(results);
        let base = self.base.function;
        let mut function = RegionFunction {
            name: base.name,
            ssa: base.ssa,
            params: base.params,
            ret: base.ret,
            locals: base.locals,
            regions: self.regions,
            roots: self.roots,
            span: base.span,
        };
        if !self.base.broken {
            function.renumber();
        }
        function
    }
}

impl Parser<'_, '_> {
    fn region_program(&mut self) -> Vec<RegionParse> {
        let mut functions = Vec::new();
        loop {
            while self.eat(TokenKind::Newline) {}
            if self.at(TokenKind::End) {
                return functions;
            }
            let read = if self.at_word("extern") {
                self.external()
            } else if self.at_word("memory") {
                self.memory()
            } else {
                self.region_function(&mut functions)
            };
            if let Err(Reported) = read {
                self.complete = false;
                self.skip_to_item();
            }
        }
    }

    /// Goes on where a declaration starts a line.
    fn skip_to_item(&mut self) {
        self.depth = 0;
        loop {
            let line_ends = self.at(TokenKind::Newline);
            if self.at(TokenKind::End) || line_ends && self.item_follows() {
                return;
            }
            self.bump();
        }
    }

    /// Whether a declaration stands after the token to look at.
    fn item_follows(&self) -> bool {
        let mut ahead = self.lexer;
        let [first, second, third] = std::array::from_fn(|_| ahead.next());
        if first.kind != TokenKind::Word || second.kind == TokenKind::Equals {
            return false;
        }
        match self.slice(first) {
            "extern" => second.kind == TokenKind::Global,
            "memory" | "ssa" => second.kind == TokenKind::Word,
            "region" => self.slice(second) == "fn" && third.kind == TokenKind::Global,
            _ => false,
        }
    }

    /// `ssa region fn @name(%p: type, ..) -> type { .. }`
    fn region_function(&mut self, functions: &mut Vec<RegionParse>) -> Result<()> {
        let start = self.token.span;
        let ssa = self.at_word("ssa");
        if ssa {
            self.bump();
        }
        if !self.at_word("region") {
            return Err(self.expected("`region fn`, `ssa region fn`, `extern` or `memory`"));
        }
        self.bump();
        self.expect_word("fn")?;
        let token = self.expect(TokenKind::Global, "`@` and a name")?;
        let mut parse = RegionParse::new(self.name(token)?);
        parse.base.function.ssa = ssa;
        self.open_paren("the parameters")?;
        self.paren_list(|p| {
            let local = p.parameter(&mut parse.base)?;
            parse.base.function.params.push(local);
            Ok(())
        })?;
        parse.base.function.ret = self.result_type()?;
        parse.base.function.span = Span { start: start.start, end: self.prev_end };
        self.expect(TokenKind::LBrace, "`{`")?;
        let read = self.region_body(&mut parse);
        parse.base.broken |= read.is_err();
        functions.push(parse);
        read
    }

    fn region_body(&mut self, parse: &mut RegionParse) -> Result<()> {
        loop {
            while self.eat(TokenKind::Newline) {}
            if !self.at_word("local") {
                break;
            }
            self.declaration(&mut parse.base)?;
        }
        let label = parse.base.labels.fresh();
        parse.base.start_block(label, Name::default(), Span::NONE);
        let named = self.at_word("region");
        loop {
            let root = if named {
                let start = self.expect_word("region")?.span;
                parse.open(None, start)
            } else {
                parse.open(None, self.token.span)
            };
            parse.roots.push(root);
            if named {
                self.region_head(parse, root)?;
                self.expect(TokenKind::LBrace, "`{`")?;
            }
            self.contents(parse)?;
            while named && self.eat(TokenKind::Newline) {}
            if !named || self.eat(TokenKind::RBrace) {
                break;
            }
        }
        self.end_of_statement()?;
        self.resolve_targets(parse)
    }

    /// `name(%input: type, ..)`
    fn region_head(&mut self, parse: &mut RegionParse, region: Region) -> Result<()> {
        if !self.at(TokenKind::Word) && !self.at(TokenKind::Str) {
            return Err(self.expected("the name of a region"));
        }
        let token = self.bump();
        let name = self.name(token)?;
        parse.regions[region].span = token.span;
        if let Some(&first) = parse.names.get(&name) {
            let message = format!("there are two regions called `{}`", shorten(&name));
            let diagnostic = Diagnostic::new("duplicate-region", token.span, message);
            return Err(self.report(diagnostic.note(parse.regions[first].span, "the first one")));
        }
        parse.names.insert(name.clone(), region);
        parse.regions[region].name = Some(name);
        if self.at(TokenKind::LParen) {
            self.paren_list(|p| {
                let local = p.parameter(&mut parse.base)?;
                parse.regions[region].inputs.push(local);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Reads nodes and ends up to the `}` of the root that is open.
    fn contents(&mut self, parse: &mut RegionParse) -> Result<()> {
        while !parse.open.is_empty() {
            while self.eat(TokenKind::Newline) {}
            if self.region_end(parse)? {
                while self.eat(TokenKind::Newline) {}
                self.expect(TokenKind::RBrace, "`}`: nothing follows the end of a region")?;
                self.close_region(parse)?;
            } else {
                self.region_node(parse)?;
            }
        }
        Ok(())
    }

    /// Replaces the names of targets by regions.
    fn resolve_targets(&mut self, parse: &mut RegionParse) -> Result<()> {
        for (region, node, name, span) in std::mem::take(&mut parse.bound) {
            let Some(&target) = parse.names.get(&name) else {
                let message = format!("there is no region `{}`", shorten(&name));
                return Err(self.report(Diagnostic::new("dangling-target", span, message)));
            };
            if let Node::Bind(bind) = &mut parse.regions[region].nodes[node] {
                bind.to = Goal::Region(target);
            }
        }
        Ok(())
    }
}

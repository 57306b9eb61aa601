//! `for %i = a, b, step { .. }`: turned into blocks and branches while it is read, so that nothing
//! else knows of it.
//!
//! The documentation of [`text`](crate::ir::text) shows the blocks. `b` and `step` are operands of
//! instructions in the loop, and so read anew each time. The body may hold labels, terminators and more
//! loops; where its last block has a terminator of its own, the two lines that go back to the head are left
//! out. The number is counted up until none of the five names occurs in the function. Loops that are
//! open are on a stack.

use super::function::FunctionParse;
use super::infer::Hint;
use super::{Parser, Result};
use crate::diagnostic::Span;
use crate::ir::text::lexer::TokenKind;
use crate::ir::{
    BinaryOp, Block, Inst, Local, Name, Op, Operand, Place, Target, TerminatorKind, Type,
};
use smallvec::smallvec;

/// A `{` that is open within a function.
pub(super) enum Brace {
    /// A loop.
    Loop(OpenLoop),
    /// Part of a statement that was given up.
    Stray,
}

/// A loop whose body is being read. `head` and `exit` are numbers of labels.
pub(super) struct OpenLoop {
    head: Block,
    exit: Block,
    variable: Local,
    step: Operand,
    span: Span,
    /// Where it is in [`FunctionParse::loops`].
    names: usize,
}

/// What of a loop still needs names.
pub(super) struct LoopNames {
    head: Block,
    body: Block,
    exit: Option<Block>,
    more: Local,
    next: Option<Local>,
}

impl Parser<'_, '_> {
    pub(super) fn for_loop(&mut self, parse: &mut FunctionParse) -> Result<()> {
        let start = self.bump().span;
        let variable = self.local(parse, "the loop's variable")?;
        parse.hint(variable, || Hint::Known(Type::Int));
        self.expect(TokenKind::Equals, "`=`")?;
        let from = self.operand(parse)?;
        self.expect(TokenKind::Comma, "`,` and where the loop ends")?;
        let to = self.operand(parse)?;
        self.expect(TokenKind::Comma, "`,` and the step")?;
        let step = self.operand(parse)?;
        let span = start.to(Span { start: 0, end: self.prev_end });
        self.expect(TokenKind::LBrace, "`{`")?;
        if parse.current.is_none() {
            self.homeless(parse, span);
            parse.braces.push(Brace::Stray);
            return Ok(());
        }
        parse.open_loop(variable, [from, to, step], span);
        Ok(())
    }
}

impl FunctionParse {
    fn open_loop(&mut self, variable: Local, [from, to, step]: [Operand; 3], span: Span) {
        let [head, body, exit] = [(); 3].map(|()| self.labels.fresh());
        self.end_block(jump(head, from), span);
        let head_block = self.start_block(head, Name::default(), span);
        self.function.blocks[head_block].params.push(variable);
        let more = self.fresh_local(span);
        self.push(more, Op::Binary(BinaryOp::Slt, variable.into(), to), span);
        let (then_to, else_to) = (body.into(), exit.into());
        self.end_block(TerminatorKind::Branch { cond: more.into(), then_to, else_to }, span);
        let body_block = self.start_block(body, Name::default(), span);
        let names = self.loops.len();
        self.loops.push(LoopNames {
            head: head_block,
            body: body_block,
            exit: None,
            more,
            next: None,
        });
        self.braces.push(Brace::Loop(OpenLoop { head, exit, variable, step, span, names }));
    }

    /// Reads the `}` of a loop.
    pub(super) fn close_brace(&mut self, brace: Brace) {
        let Brace::Loop(open) = brace else { return };
        if self.current.is_some() {
            let next = self.fresh_local(open.span);
            self.push(next, Op::Binary(BinaryOp::Add, open.variable.into(), open.step), open.span);
            self.end_block(jump(open.head, next.into()), open.span);
            self.loops[open.names].next = Some(next);
        }
        let exit = self.start_block(open.exit, Name::default(), open.span);
        self.loops[open.names].exit = Some(exit);
    }

    fn push(&mut self, dest: Local, op: Op, span: Span) {
        if let Some(block) = self.current {
            let inst = Inst { dest: Some(Place::from(dest)), op, span };
            self.function.blocks[block].insts.push(inst);
        }
    }

    /// Names what the loops made, by names that do not occur in the function. Each number that is
    /// passed over costs the text a name, so that this takes linear time.
    pub(super) fn name_loops(&mut self) {
        let mut number = 0;
        for names in std::mem::take(&mut self.loops) {
            number += 1;
            while self.number_is_taken(number) {
                number += 1;
            }
            let blocks = &mut self.function.blocks;
            blocks[names.head].name = format!("for{number}.head").into();
            blocks[names.body].name = format!("for{number}.body").into();
            if let Some(exit) = names.exit {
                blocks[exit].name = format!("for{number}.exit").into();
            }
            let locals = &mut self.function.locals;
            locals[names.more].name = format!("for{number}_more").into();
            if let Some(next) = names.next {
                locals[next].name = format!("for{number}_next").into();
            }
        }
    }

    fn number_is_taken(&self, number: usize) -> bool {
        ["head", "body", "exit"].iter().any(|s| self.labels.contains(&format!("for{number}.{s}")))
            || ["more", "next"].iter().any(|s| self.has_local(&format!("for{number}_{s}")))
    }
}

fn jump(head: Block, value: Operand) -> TerminatorKind {
    TerminatorKind::Jump(Target { block: head, args: smallvec![value] })
}

//! Makes functions in memory, without a text.

use super::{
    Block, BlockData, Function, Inst, Local, LocalData, Name, Op, Place, Target, Terminator,
    TerminatorKind, Type,
};
use crate::diagnostic::Span;

/// Builds one function, block by block.
#[derive(Debug)]
pub struct FunctionBuilder {
    function: Function,
    current: Option<Block>,
}

impl FunctionBuilder {
    /// Starts a function.
    pub fn new(name: impl Into<Name>) -> FunctionBuilder {
        FunctionBuilder { function: Function::new(name), current: None }
    }

    /// Makes a local. The name must be new.
    pub fn local(&mut self, name: impl Into<Name>, ty: Type) -> Local {
        self.function.locals.push(LocalData { name: name.into(), ty, span: Span::NONE })
    }

    /// Makes a local that is a parameter of the function.
    pub fn param(&mut self, name: impl Into<Name>, ty: Type) -> Local {
        let local = self.local(name, ty);
        self.function.params.push(local);
        local
    }

    /// Makes a block, which ends in `unreachable` until it is terminated.
    pub fn block(&mut self, name: impl Into<Name>) -> Block {
        self.function.blocks.push(BlockData {
            name: name.into(),
            params: Vec::new(),
            insts: Vec::new(),
            term: TerminatorKind::Unreachable.into(),
            span: Span::NONE,
        })
    }

    /// Makes a local that is a parameter of `block`.
    pub fn block_param(&mut self, block: Block, name: impl Into<Name>, ty: Type) -> Local {
        let local = self.local(name, ty);
        self.function.blocks[block].params.push(local);
        local
    }

    /// Goes on at the end of `block`.
    pub fn at(&mut self, block: Block) -> &mut FunctionBuilder {
        self.current = Some(block);
        self
    }

    /// Appends an instruction to the current block.
    ///
    /// # Panics
    /// If there is no current block.
    pub fn inst(&mut self, dest: impl Into<Option<Place>>, op: Op) -> &mut FunctionBuilder {
        let block = self.current.expect("`at` comes first");
        let inst = Inst { dest: dest.into(), op, span: Span::NONE };
        self.function.blocks[block].insts.push(inst);
        self
    }

    /// Ends the current block.
    ///
    /// # Panics
    /// If there is no current block.
    pub fn terminate(&mut self, kind: TerminatorKind) -> &mut FunctionBuilder {
        let block = self.current.take().expect("`at` comes first");
        self.function.blocks[block].term = Terminator { kind, span: Span::NONE };
        self
    }

    /// Ends the current block with a jump.
    pub fn jump(&mut self, to: impl Into<Target>) -> &mut FunctionBuilder {
        self.terminate(TerminatorKind::Jump(to.into()))
    }

    /// The function so far, to look at or change directly.
    pub fn function(&mut self) -> &mut Function {
        &mut self.function
    }

    /// The finished function.
    pub fn finish(self) -> Function {
        self.function
    }
}

/// An if/else with an empty then and else, for examples.
pub fn diamond() -> Function {
    let mut b = FunctionBuilder::new("diamond");
    let cond = b.param("c", Type::Int);
    let [head, left, right, join] = ["head", "left", "right", "join"].map(|name| b.block(name));
    b.at(head).terminate(TerminatorKind::Branch {
        cond: cond.into(),
        then_to: left.into(),
        else_to: right.into(),
    });
    b.at(left).jump(join);
    b.at(right).jump(join);
    b.at(join).terminate(TerminatorKind::Return(None));
    b.finish()
}

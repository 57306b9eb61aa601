//! What a language without `goto` makes: if, switch, while, do, for, endless loops, break, continue
//! (of outer loops as well) and calls that unwind to one landing pad. The graph is reducible.
//!
//! The program is drawn statement by statement, in the order of its text, with a stack of open
//! scopes. Every step adds a block, leaves the current block or closes a scope, so the drawing ends.

use crate::generate::draw::Draw;
use crate::generate::graph::{Graph, Hint, Node};

/// A structured program of about so many blocks, never more.
pub(super) fn structured(draw: &mut Draw, blocks: usize) -> Graph {
    let graph = Graph::with_nodes(1);
    let mut code = Code { graph, current: Some(0), scopes: Vec::new(), unwinding: Vec::new() };
    loop {
        let [byte, detail] = draw.array();
        let statement = if code.has_room(blocks) { Statement::of(byte) } else { Statement::End };
        if !code.add(statement, detail) {
            break;
        }
    }
    code.finish()
}

/// What one step does.
enum Statement {
    End,
    Close,
    Next,
    If,
    Else,
    Loop,
    Switch,
    Break,
    Continue,
    Try,
}

impl Statement {
    fn of(byte: u8) -> Statement {
        match byte {
            0..4 => Statement::End,
            4..58 => Statement::Close,
            58..74 => Statement::Next,
            74..112 => Statement::If,
            112..138 => Statement::Else,
            138..194 => Statement::Loop,
            194..206 => Statement::Switch,
            206..226 => Statement::Break,
            226..240 => Statement::Continue,
            240.. => Statement::Try,
        }
    }
}

/// Where a loop decides whether to go on.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Test {
    /// `while`
    AtHead,
    /// `for`: as `while`, but `continue` goes to a step before the head.
    AtHeadAfterStep,
    /// `do`
    AtLatch,
    /// Only a `break` leaves it.
    Never,
}

/// A scope that is still open.
enum Scope {
    /// `head` branches; what follows the scope is reached from `ends`.
    If { head: Node, ends: Vec<Node>, has_else: bool },
    /// `head` switches.
    Switch { head: Node, ends: Vec<Node> },
    /// A loop, with the blocks that break and continue.
    Loop { header: Node, test: Test, breaks: Vec<Node>, continues: Vec<Node> },
}

struct Code {
    graph: Graph,
    /// The block that statements are added to; `None` after a jump, up to the scope's end.
    current: Option<Node>,
    scopes: Vec<Scope>,
    /// Blocks whose second successor shall be the landing pad.
    unwinding: Vec<Node>,
}

impl Code {
    /// Whether any statement fits: it adds two blocks at most and opens one scope, a scope takes two
    /// blocks to close, and the landing pad is one more.
    fn has_room(&self, blocks: usize) -> bool {
        self.graph.len() + 2 * (self.scopes.len() + 1) + 3 <= blocks
    }

    /// Adds a statement; false when it ends the program.
    fn add(&mut self, statement: Statement, detail: u8) -> bool {
        let Some(current) = self.current else {
            return self.after_jump(statement);
        };
        match statement {
            // Ends the program once all scopes are closed.
            Statement::End => return self.close(),
            Statement::Close if !self.scopes.is_empty() => return self.close(),
            Statement::Close | Statement::Next => self.current = Some(self.follow(current)),
            Statement::If => self.open_if(current),
            Statement::Else if self.next_arm(detail) => {}
            Statement::Else => self.open_if(current),
            Statement::Loop => self.open_loop(current, detail),
            Statement::Switch => {
                self.scopes.push(Scope::Switch { head: current, ends: Vec::new() });
                self.current = Some(self.follow(current));
            }
            Statement::Break => self.leave(current, detail, true),
            Statement::Continue => self.leave(current, detail, false),
            Statement::Try => {
                self.unwinding.push(current);
                self.current = Some(self.follow(current));
            }
        }
        true
    }

    /// After a jump, only another arm or the scope's end can follow.
    fn after_jump(&mut self, statement: Statement) -> bool {
        matches!(statement, Statement::Else) && self.next_arm(0) || self.close()
    }

    fn follow(&mut self, from: Node) -> Node {
        let node = self.graph.add();
        self.graph.edge(from, node);
        node
    }

    fn open_if(&mut self, head: Node) {
        self.scopes.push(Scope::If { head, ends: Vec::new(), has_else: false });
        self.current = Some(self.follow(head));
    }

    fn open_loop(&mut self, current: Node, detail: u8) {
        let header = self.follow(current);
        let test = [Test::AtHead, Test::AtHeadAfterStep, Test::AtLatch, Test::Never]
            [if detail > 240 { 3 } else { detail as usize % 3 }];
        let (breaks, continues) = (Vec::new(), Vec::new());
        self.scopes.push(Scope::Loop { header, test, breaks, continues });
        let tests_first = matches!(test, Test::AtHead | Test::AtHeadAfterStep);
        self.current = Some(if tests_first { self.follow(header) } else { header });
    }

    /// Goes on with the `else` or the next case, if the innermost scope can have one. Some cases
    /// fall through.
    fn next_arm(&mut self, detail: u8) -> bool {
        let (head, falls_through) = match self.scopes.last_mut() {
            Some(Scope::If { head, ends, has_else }) if !*has_else => {
                *has_else = true;
                ends.extend(self.current);
                (*head, false)
            }
            Some(Scope::Switch { ends, head }) => {
                let falls_through = detail > 200;
                ends.extend(self.current.filter(|_| !falls_through));
                (*head, falls_through)
            }
            _ => return false,
        };
        let arm = self.follow(head);
        if let Some(current) = self.current.filter(|_| falls_through) {
            self.graph.edge(current, arm);
        }
        self.current = Some(arm);
        true
    }

    /// Breaks or continues one of the open loops; falls through if there is none.
    fn leave(&mut self, current: Node, detail: u8, is_break: bool) {
        let is_loop = |scope: &&mut Scope| matches!(scope, Scope::Loop { .. });
        let open = self.scopes.iter_mut().rev().filter(is_loop);
        let outward = if detail < 160 { 0 } else { detail as usize % 4 };
        match open.take(outward + 1).last() {
            Some(Scope::Loop { breaks, .. }) if is_break => breaks.push(current),
            Some(Scope::Loop { continues, .. }) => continues.push(current),
            _ => {
                self.current = Some(self.follow(current));
                return;
            }
        }
        self.current = None;
    }

    /// Closes the innermost scope; false if there is none.
    fn close(&mut self) -> bool {
        match self.scopes.pop() {
            None => return false,
            Some(Scope::If { head, mut ends, has_else }) => {
                ends.extend(self.current);
                ends.extend((!has_else).then_some(head));
                self.current = self.join(&ends);
            }
            Some(Scope::Switch { head, mut ends }) => {
                ends.extend(self.current);
                ends.push(head);
                self.current = self.join(&ends);
            }
            Some(Scope::Loop { header, test, breaks, continues }) => {
                self.close_loop(header, test, breaks, continues);
            }
        }
        true
    }

    fn close_loop(
        &mut self,
        header: Node,
        test: Test,
        mut ends: Vec<Node>,
        mut continues: Vec<Node>,
    ) {
        let has_latch = test == Test::AtHeadAfterStep || test == Test::AtLatch;
        continues.extend(self.current);
        if has_latch && continues != [header] {
            continues = self.join(&continues).into_iter().collect();
        }
        continues.iter().for_each(|&from| self.graph.edge(from, header));
        match test {
            Test::AtHead | Test::AtHeadAfterStep => ends.push(header),
            Test::AtLatch => ends.extend(continues),
            Test::Never => {}
        }
        self.current = self.join(&ends);
    }

    /// A new block that all of `ends` go to; `None` if there are none.
    fn join(&mut self, ends: &[Node]) -> Option<Node> {
        let to = (!ends.is_empty()).then(|| self.graph.add())?;
        ends.iter().for_each(|&from| self.graph.edge(from, to));
        Some(to)
    }

    fn finish(mut self) -> Graph {
        if !self.unwinding.is_empty() {
            let pad = self.graph.add();
            self.graph.nodes[pad].hint = Hint::Landing;
            for from in std::mem::take(&mut self.unwinding) {
                self.graph.edge(from, pad);
                self.graph.nodes[from].hint = Hint::Try;
            }
        }
        self.graph
    }
}

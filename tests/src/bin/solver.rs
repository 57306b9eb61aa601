//! A subject of the tests: reads questions on stdin and answers them with the solvers of `core`, in
//! every field that the protocol has.

use backedge::bril;
use backedge_core::ir::{Block, Function, Local};
use backedge_oracle::core_subject::Core;
use backedge_oracle::subject::{CfgAnswer, CfgSolver, LivenessAnswer, LivenessSolver};
use serde_json::{Map, Value, json};
use std::io::{self, BufRead, Write};

fn main() -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let question: Value = serde_json::from_str(&line?)?;
        let mut reply = answer(&question).unwrap_or_else(|error| json!({ "error": error }));
        reply["id"] = question["id"].clone();
        writeln!(stdout, "{reply}")?;
        stdout.flush()?;
    }
    Ok(())
}

fn answer(question: &Value) -> Result<Value, String> {
    let program = bril::read(&question["function"].to_string());
    let program = program.map_err(|report| format!("{report:?}"))?;
    let function = program.functions.first().ok_or("no function")?;
    let named = Named(function);
    let answer = match question["ask"].as_str() {
        Some("liveness") => {
            Core::default().liveness(function).map(|answer| named.liveness(&answer))
        }
        Some("cfg") => Core::default().cfg(function).map(|answer| named.cfg(&answer)),
        _ => return Ok(json!({ "skip": "unknown question" })),
    };
    answer.map(|answer| json!({ "answer": answer })).map_err(|error| error.to_string())
}

struct Named<'f>(&'f Function);

impl Named<'_> {
    fn block(&self, block: Block) -> &str {
        &self.0.blocks[block].name
    }

    fn blocks<'b>(&self, blocks: impl IntoIterator<Item = &'b Block>) -> Vec<&str> {
        blocks.into_iter().map(|&block| self.block(block)).collect()
    }

    fn locals(&self, locals: &[Local]) -> Vec<&str> {
        locals.iter().map(|&local| self.0.locals[local].name.as_str()).collect()
    }

    fn points(&self, points: &[Vec<Vec<Local>>]) -> Value {
        let lists = |of_block: &Vec<Vec<Local>>| -> Vec<Vec<&str>> {
            of_block.iter().map(|locals| self.locals(locals)).collect()
        };
        let names = self.0.blocks.values().map(|data| data.name.to_string());
        let lists = points.iter().map(|of_block| json!(lists(of_block)));
        Value::Object(names.zip(lists).collect())
    }

    fn liveness(&self, answer: &LivenessAnswer) -> Value {
        let mut blocks = Map::new();
        for (block, facts) in self.0.blocks.keys().zip(&answer.blocks) {
            if let Some(facts) = facts {
                let live_out = facts.live_out.as_deref().map(|locals| self.locals(locals));
                let facts = json!({ "live_in": self.locals(&facts.live_in), "live_out": live_out });
                blocks.insert(self.block(block).to_owned(), facts);
            }
        }
        let edges = answer.edges.iter().flatten().map(|edge| {
            let (from, to) = (self.block(edge.from), self.block(edge.to));
            json!({ "from": from, "to": to, "slot": edge.slot, "live": self.locals(&edge.live) })
        });
        json!({
            "blocks": blocks,
            "edges": edges.collect::<Vec<_>>(),
            "after": answer.after.as_deref().map(|points| self.points(points)),
            "before": answer.before.as_deref().map(|points| self.points(points)),
        })
    }

    fn cfg(&self, answer: &CfgAnswer) -> Value {
        let pair = |&(a, b): &(Block, Block)| [self.block(a), self.block(b)];
        let idom = answer.idom.iter().flatten().map(pair);
        let idom = idom.map(|[block, idom]| (block.to_owned(), json!(idom)));
        let loops = answer.loops.iter().flatten().map(
            |of| json!({ "header": self.block(of.header), "blocks": self.blocks(&of.blocks) }),
        );
        json!({
            "edges": answer.edges.iter().map(pair).collect::<Vec<_>>(),
            "reachable": answer.reachable.as_ref().map(|blocks| self.blocks(blocks)),
            "postorder": answer.postorder.as_ref().map(|blocks| self.blocks(blocks)),
            "idom": Value::Object(idom.collect()),
            "loops": loops.collect::<Vec<_>>(),
            "reducible": answer.reducible,
        })
    }
}

//! Each check passes the right answer and draws each of its kinds from a wrong one.

use super::{At, Case, Check, Finding, Verdict, by_name};
use crate::reference::answer;
use crate::subject::{
    BlockLiveness, CfgAnswer, CfgSolver, LivenessAnswer, LivenessSolver, LoopAnswer, NoAnswer,
    Subject,
};
use crate::testing::{graph_function, random_function};
use backedge_core::ir::builder::FunctionBuilder;
use backedge_core::ir::{Block, Function, Local, Op, Program, Target, TerminatorKind, Type};
use cranelift_entity::EntityRef;
use std::collections::BTreeSet;
use std::time::Duration;

/// What spoils the right answer.
type Spoil<A> = fn(&mut A) -> Result<(), NoAnswer>;

/// Answers by the references, then spoils the answer.
struct Spoiled {
    liveness: Spoil<LivenessAnswer>,
    cfg: Spoil<CfgAnswer>,
    asked: usize,
}

impl Subject for Spoiled {
    fn name(&self) -> &str {
        "spoiled"
    }

    fn liveness(&mut self) -> Option<&mut dyn LivenessSolver> {
        Some(self)
    }

    fn cfg(&mut self) -> Option<&mut dyn CfgSolver> {
        Some(self)
    }
}

impl LivenessSolver for Spoiled {
    fn liveness(&mut self, function: &Function) -> Result<LivenessAnswer, NoAnswer> {
        self.asked += 1;
        let mut answer = answer::liveness(function);
        (self.liveness)(&mut answer)?;
        Ok(answer)
    }
}

impl CfgSolver for Spoiled {
    fn cfg(&mut self, function: &Function) -> Result<CfgAnswer, NoAnswer> {
        self.asked += 1;
        let mut answer = answer::cfg(function);
        (self.cfg)(&mut answer)?;
        Ok(answer)
    }
}

fn case(functions: Vec<Function>) -> Case {
    Case { program: Program { functions, ..Program::default() } }
}

fn judge(
    check: &str,
    liveness: Spoil<LivenessAnswer>,
    cfg: Spoil<CfgAnswer>,
    case: &Case,
) -> (Verdict, usize) {
    let mut subject = Spoiled { liveness, cfg, asked: 0 };
    let verdict = by_name(check).unwrap().judge(case, &mut subject);
    (verdict, subject.asked)
}

/// `entry` assigns `x` and branches on `c` to `next(x)` or `next(c)`; `dead` is unreachable.
fn small() -> Function {
    let mut b = FunctionBuilder::new("small");
    let c = b.param("c", Type::Int);
    let x = b.local("x", Type::Int);
    let [entry, next, dead] = ["entry", "next", "dead"].map(|name| b.block(name));
    let p = b.block_param(next, "p", Type::Int);
    let to_next = || Target { block: next, args: [x.into()].into_iter().collect() };
    b.at(entry).inst(Some(x.into()), Op::Const(1)).terminate(TerminatorKind::Branch {
        cond: c.into(),
        then_to: to_next(),
        else_to: Target { block: next, args: [c.into()].into_iter().collect() },
    });
    b.at(next).terminate(TerminatorKind::Return(Some(p.into())));
    b.at(dead).jump(to_next());
    b.finish()
}

fn on_liveness(spoil: Spoil<LivenessAnswer>) -> Vec<Finding> {
    judge("liveness", spoil, |_| Ok(()), &case(vec![small()])).0.findings().to_vec()
}

fn on_cfg(spoil: Spoil<CfgAnswer>) -> Vec<Finding> {
    judge("cfg", |_| Ok(()), spoil, &case(vec![small()])).0.findings().to_vec()
}

fn kinds(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.kind).collect()
}

const X: usize = 1;

fn blocks(answer: &mut LivenessAnswer, block: usize) -> &mut BlockLiveness {
    answer.blocks[block].as_mut().unwrap()
}

/// One way to spoil a liveness answer for each kind of finding.
const WRONG_LIVENESS: [(&str, Spoil<LivenessAnswer>); 17] = [
    ("missing-block", |a| {
        a.blocks[2] = None;
        Ok(())
    }),
    ("missing-live-in", |a| {
        blocks(a, 0).live_in.clear();
        Ok(())
    }),
    ("extra-live-in", |a| {
        blocks(a, 0).live_in.push(Local::new(X));
        Ok(())
    }),
    ("missing-live-out", |a| {
        *blocks(a, 0).live_out.as_mut().unwrap() = vec![Local::new(X)];
        Ok(())
    }),
    ("extra-live-out", |a| {
        *blocks(a, 1).live_out.as_mut().unwrap() = vec![Local::new(X)];
        Ok(())
    }),
    ("missing-edge", |a| {
        a.edges.as_mut().unwrap().pop();
        Ok(())
    }),
    ("missing-edge-live", |a| {
        a.edges.as_mut().unwrap()[0].live.clear();
        Ok(())
    }),
    ("extra-edge-live", |a| {
        a.edges.as_mut().unwrap()[0].live = vec![Local::new(0), Local::new(X)];
        Ok(())
    }),
    ("missing-live-before", |a| {
        a.before.as_mut().unwrap()[1][0].clear();
        Ok(())
    }),
    ("extra-live-before", |a| {
        a.before.as_mut().unwrap()[0][0] = vec![Local::new(0), Local::new(X)];
        Ok(())
    }),
    ("missing-live-after", |a| {
        a.after.as_mut().unwrap()[0][0].clear();
        Ok(())
    }),
    ("extra-live-after", |a| {
        a.after.as_mut().unwrap()[1][0].push(Local::new(0));
        Ok(())
    }),
    ("panic", |_| panic!("on purpose")),
    ("crash", |_| Err(NoAnswer::Crash("signal 11".into()))),
    ("timeout", |_| Err(NoAnswer::Timeout(Duration::from_secs(10)))),
    ("nonsense", |_| Err(NoAnswer::Nonsense("not JSON".into()))),
    ("error", |_| Err(NoAnswer::Error("overflow".into()))),
];

/// One way to spoil a graph answer for each kind of finding.
const WRONG_CFG: [(&str, Spoil<CfgAnswer>); 12] = [
    ("missing-edge", |a| {
        a.edges.remove(0);
        Ok(())
    }),
    ("extra-edge", |a| {
        a.edges.push((Block::new(1), Block::new(2)));
        Ok(())
    }),
    ("wrong-reachable", |a| {
        a.reachable.as_mut().unwrap().insert(Block::new(2));
        Ok(())
    }),
    ("wrong-postorder", |a| {
        a.postorder.as_mut().unwrap().reverse();
        Ok(())
    }),
    ("wrong-idom", |a| {
        a.idom.as_mut().unwrap().clear();
        Ok(())
    }),
    ("wrong-loops", |a| {
        let [header, other] = [0, 1].map(Block::new);
        a.loops = Some(vec![LoopAnswer { header, blocks: BTreeSet::from([header, other]) }]);
        Ok(())
    }),
    ("wrong-reducible", |a| {
        a.reducible = Some(false);
        Ok(())
    }),
    ("panic", |_| panic!("on purpose")),
    ("crash", |_| Err(NoAnswer::Crash("signal 11".into()))),
    ("timeout", |_| Err(NoAnswer::Timeout(Duration::from_secs(10)))),
    ("nonsense", |_| Err(NoAnswer::Nonsense("not JSON".into()))),
    ("error", |_| Err(NoAnswer::Error("overflow".into()))),
];

#[test]
fn every_kind_is_drawn_by_a_wrong_answer() {
    for (kind, spoil) in WRONG_LIVENESS {
        assert_eq!(kinds(&on_liveness(spoil)), [kind]);
    }
    for (kind, spoil) in WRONG_CFG {
        assert_eq!(kinds(&on_cfg(spoil)), [kind]);
    }
    let tried = |wrong: &[&'static str]| wrong.to_vec();
    assert_eq!(tried(&WRONG_LIVENESS.map(|wrong| wrong.0)), super::liveness::LivenessCheck.kinds());
    assert_eq!(tried(&WRONG_CFG.map(|wrong| wrong.0)), super::cfg::CfgCheck.kinds());
}

#[test]
fn right_answers_pass() {
    for seed in 0..500 {
        let case = case(vec![random_function(seed, 8), random_function(seed + 1000, 3)]);
        for check in ["liveness", "cfg"] {
            let (verdict, asked) = judge(check, |_| Ok(()), |_| Ok(()), &case);
            assert_eq!(verdict, Verdict::Pass, "seed {seed}");
            assert_eq!(asked, 2);
        }
    }
}

#[test]
fn what_is_not_given_is_not_judged() {
    let least: Spoil<LivenessAnswer> = |a| {
        a.edges = None;
        a.before = None;
        a.after = None;
        a.blocks.iter_mut().flatten().for_each(|block| block.live_out = None);
        Ok(())
    };
    assert_eq!(on_liveness(least), []);
    let least: Spoil<CfgAnswer> = |a| {
        *a = CfgAnswer { edges: a.edges.clone(), ..CfgAnswer::default() };
        Ok(())
    };
    assert_eq!(on_cfg(least), []);
}

#[test]
fn malformed_answers_are_nonsense() {
    let liveness: [Spoil<LivenessAnswer>; 9] = [
        |a| {
            a.blocks.pop();
            Ok(())
        },
        |a| {
            a.blocks.push(None);
            Ok(())
        },
        |a| {
            blocks(a, 0).live_in.push(Local::new(9));
            Ok(())
        },
        |a| {
            blocks(a, 0).live_in = vec![Local::new(1), Local::new(0)];
            Ok(())
        },
        |a| {
            blocks(a, 0).live_in = vec![Local::new(0), Local::new(0)];
            Ok(())
        },
        |a| {
            a.edges.as_mut().unwrap()[0].slot = Some(2);
            Ok(())
        },
        |a| {
            a.edges.as_mut().unwrap()[0].to = Block::new(7);
            Ok(())
        },
        |a| {
            a.after.as_mut().unwrap()[0].pop();
            Ok(())
        },
        |a| {
            a.before.as_mut().unwrap().pop();
            Ok(())
        },
    ];
    for (number, spoil) in liveness.into_iter().enumerate() {
        assert_eq!(kinds(&on_liveness(spoil)), ["nonsense"], "{number}");
    }
    let cfg: [Spoil<CfgAnswer>; 4] = [
        |a| {
            a.edges.push((Block::new(0), Block::new(3)));
            Ok(())
        },
        |a| {
            a.postorder.as_mut().unwrap().push(Block::new(3));
            Ok(())
        },
        |a| {
            a.idom.as_mut().unwrap().push((Block::new(1), Block::new(0)));
            Ok(())
        },
        |a| {
            a.reachable.as_mut().unwrap().insert(Block::new(3));
            Ok(())
        },
    ];
    for (number, spoil) in cfg.into_iter().enumerate() {
        assert_eq!(kinds(&on_cfg(spoil)), ["nonsense"], "{number}");
    }
}

#[test]
fn edges_known_by_their_ends_alone_are_judged_together() {
    let union: Spoil<LivenessAnswer> = |a| {
        let edges = a.edges.as_mut().unwrap();
        edges.remove(1);
        edges[0].live = vec![Local::new(0), Local::new(X)];
        edges.iter_mut().for_each(|edge| edge.slot = None);
        Ok(())
    };
    assert_eq!(on_liveness(union), []);
    let first_alone: Spoil<LivenessAnswer> = |a| {
        a.edges.as_mut().unwrap().iter_mut().for_each(|edge| edge.slot = None);
        Ok(())
    };
    assert_eq!(kinds(&on_liveness(first_alone)), ["missing-edge-live"]);
}

#[test]
fn an_empty_list_of_points_says_nothing_of_the_block() {
    let spoil: Spoil<LivenessAnswer> = |a| {
        a.after.as_mut().unwrap()[1].clear();
        Ok(())
    };
    assert_eq!(kinds(&on_liveness(spoil)), ["missing-block"]);
}

#[test]
fn a_finding_reads_well() {
    let [_, (_, missing), (_, extra), ..] = WRONG_LIVENESS;
    let text = on_liveness(missing)[0].to_string();
    let expected = "liveness: missing-live-in in @small at `entry`: expected {c}; answered {}";
    assert_eq!(text, expected);
    let text = on_liveness(extra)[0].to_string();
    let expected = "liveness: extra-live-in in @small at `entry`: expected {c}; answered {c, x}";
    assert_eq!(text, expected);
    let finding = &on_liveness(WRONG_LIVENESS[6].1)[0];
    let (from, to) = ("entry".to_owned(), "next".to_owned());
    assert_eq!(finding.at, At::Edge { from, to, slot: Some(0) });
    let text = on_cfg(WRONG_CFG[0].1)[0].to_string();
    let expected =
        "cfg: missing-edge in @small on `entry -> next`: expected 2 of it; answered 1 of it";
    assert_eq!(text, expected);
    let text = on_cfg(WRONG_CFG[7].1)[0].to_string();
    assert!(text.contains("answered none: it panicked: on purpose (oracle/src/check/tests.rs:"));
}

#[test]
fn big_sets_are_shown_where_they_differ() {
    let mut b = FunctionBuilder::new("wide");
    let params: Vec<Local> = (0..40).map(|n| b.param(format!("p{n}"), Type::Int)).collect();
    let entry = b.block("entry");
    let args = params.iter().map(|&param| param.into()).collect();
    b.at(entry).inst(None, Op::Call { callee: "g".into(), args });
    b.terminate(TerminatorKind::Return(None));
    let spoil: Spoil<LivenessAnswer> = |a| {
        blocks(a, 0).live_in.remove(3);
        Ok(())
    };
    let (verdict, _) = judge("liveness", spoil, |_| Ok(()), &case(vec![b.finish()]));
    let finding = &verdict.findings()[0];
    assert_eq!(finding.expected, "{p3, and 39 in both}");
    assert_eq!(finding.answered, "{and 39 in both}");
}

#[test]
fn a_lost_subject_is_asked_nothing_more() {
    let two = case(vec![small(), small()]);
    for (kind, asked) in [("panic", 1), ("crash", 1), ("timeout", 1), ("error", 2), ("nonsense", 2)]
    {
        let spoil = WRONG_LIVENESS.iter().find(|wrong| wrong.0 == kind).unwrap().1;
        let (verdict, count) = judge("liveness", spoil, |_| Ok(()), &two);
        assert_eq!((kinds(verdict.findings()), count), (vec![kind; asked], asked));
    }
}

#[test]
fn skips_count_only_where_nothing_is_judged() {
    let skip: Spoil<LivenessAnswer> = |a| match a.blocks.len() {
        1 => Err(NoAnswer::Skip("one block".into())),
        _ => Ok(()),
    };
    let one = || graph_function(&[&[]]);
    let verdict = |functions| judge("liveness", skip, |_| Ok(()), &case(functions)).0;
    assert_eq!(verdict(vec![one()]), Verdict::Skip("one block".into()));
    assert_eq!(verdict(vec![one(), small()]), Verdict::Pass);
    assert_eq!(verdict(vec![]), Verdict::Skip("the program has no function".into()));
    assert_eq!(verdict(vec![Function::new("e")]), Verdict::Skip("@e has no block".into()));
}

/// Has no analysis at all, and asks about another function.
struct Mute;

impl Subject for Mute {
    fn name(&self) -> &str {
        "mute"
    }
}

#[test]
fn a_subject_without_the_analysis_is_skipped() {
    for check in super::all() {
        let verdict = check.judge(&case(vec![small()]), &mut Mute);
        assert_eq!(verdict, Verdict::Skip("the subject has no such analysis".into()));
    }
}

/// Answers rightly for a function of its own instead of the one that is asked.
struct Prepares(Spoiled);

impl Subject for Prepares {
    fn name(&self) -> &str {
        "prepares"
    }

    fn prepare(&self, _: &Function) -> Option<Function> {
        Some(graph_function(&[&[1], &[0]]))
    }

    fn liveness(&mut self) -> Option<&mut dyn LivenessSolver> {
        Some(&mut self.0)
    }
}

#[test]
fn the_prepared_function_is_what_is_judged() {
    let spoil: Spoil<LivenessAnswer> = |a| {
        assert_eq!(a.blocks.len(), 2);
        Ok(())
    };
    let mut subject = Prepares(Spoiled { liveness: spoil, cfg: |_| Ok(()), asked: 0 });
    let verdict = by_name("liveness").unwrap().judge(&case(vec![small()]), &mut subject);
    assert_eq!(verdict, Verdict::Pass);
}

#[test]
fn checks_have_the_names_of_the_manual() {
    let names: Vec<_> = super::all().iter().map(|check| check.name()).collect();
    let manual =
        ["cfg", "liveness", "constants", "drops", "destprop", "structurize", "regalloc", "execute"];
    assert_eq!(names, manual);
    assert!(by_name("nothing").is_none());
}

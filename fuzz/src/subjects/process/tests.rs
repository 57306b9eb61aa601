//! Subjects that misbehave in every way we could think of, written for a POSIX shell.

use super::*;
use backedge_core::ir::{Block, Local, Operand, TerminatorKind, builder};
use backedge_oracle::subject::BlockLiveness;
use rustix::process::{Pid, test_kill_process_group};
use std::time::Instant;

const QUICK: Duration = Duration::from_millis(300);
const PATIENT: Duration = Duration::from_secs(20);

fn shell(script: &str, timeout: Duration) -> ProcessSubject {
    let line = shlex::try_join(["sh", "-c", script]).unwrap();
    Process::new(&line, timeout).unwrap().subject()
}

fn ask(subject: &mut ProcessSubject) -> Result<LivenessAnswer, NoAnswer> {
    LivenessSolver::liveness(subject, &builder::diamond())
}

/// What a subject says that runs `script` for its first question.
fn first(script: &str, timeout: Duration) -> Result<LivenessAnswer, NoAnswer> {
    ask(&mut shell(script, timeout))
}

/// What a subject says that answers every question with this line; `ID` stands for the number.
fn reply(line: &str) -> Result<LivenessAnswer, NoAnswer> {
    let line = line.replace("ID", "'$id'");
    first(
        &format!("id=1; while read -r q; do printf '%s\\n' '{line}'; id=$((id+1)); done"),
        PATIENT,
    )
}

fn nonsense(line: &str) -> String {
    match reply(line) {
        Err(NoAnswer::Nonsense(why)) => why,
        other => panic!("{line}: {other:?}"),
    }
}

fn crash(script: &str) -> String {
    let start = Instant::now();
    match first(script, PATIENT) {
        Err(NoAnswer::Crash(how)) if start.elapsed() < PATIENT / 4 => how,
        other => panic!("{script}: {other:?}"),
    }
}

fn times_out(script: &str) {
    let start = Instant::now();
    assert_eq!(first(script, QUICK), Err(NoAnswer::Timeout(QUICK)), "{script}");
    assert!(start.elapsed() >= QUICK && start.elapsed() < QUICK * 10, "{script}");
}

#[test]
fn an_answer_is_read_by_name() {
    let answer = reply(concat!(
        r#"{"id":ID,"answer":{"blocks":{"head":{"live_in":["c","c"],"live_out":[]},"#,
        r#""join":{"live_in":[]}},"edges":[{"from":"head","to":"left","live":["\u0063"]}],"#,
        r#""after":{"head":[[]],"left":[["c"]],"join":[[]],"right":[[]]}}}"#
    ))
    .unwrap();
    let c = vec![Local::from_u32(0)];
    let head = BlockLiveness { live_in: c.clone(), live_out: Some(vec![]) };
    let join = BlockLiveness { live_in: vec![], live_out: None };
    assert_eq!(answer.blocks, [Some(head), None, None, Some(join)]);
    let edge = &answer.edges.as_ref().unwrap()[0];
    assert_eq!((edge.from, edge.to), (Block::from_u32(0), Block::from_u32(1)));
    assert_eq!((edge.slot, &edge.live), (None, &c));
    assert_eq!(answer.after.unwrap(), [[vec![]], [c], [vec![]], [vec![]]]);
    assert_eq!(answer.before, None);
}

#[test]
fn a_graph_is_read_by_name() {
    let line = concat!(
        r#"{"id":1,"answer":{"edges":[["head","left"],["head","right"]],"reachable":["head"],"#,
        r#""idom":{"left":"head"},"loops":[{"header":"head","blocks":["head","left"]}],"#,
        r#""reducible":true}}"#
    );
    let mut subject = shell(&format!("read -r q; echo '{line}'; read -r q"), PATIENT);
    let answer = CfgSolver::cfg(&mut subject, &builder::diamond()).unwrap();
    let [head, left, right] = [0, 1, 2].map(Block::from_u32);
    let nest = backedge_oracle::subject::LoopAnswer { header: head, blocks: [head, left].into() };
    assert_eq!(answer.edges, [(head, left), (head, right)]);
    assert_eq!(answer.reachable, Some([head].into()));
    assert_eq!(answer.postorder, None);
    assert_eq!(answer.idom, Some(vec![(left, head)]));
    assert_eq!(answer.loops, Some(vec![nest]));
    assert_eq!(answer.reducible, Some(true));
}

#[test]
fn one_process_answers_many_questions() {
    let script = r#"i=0; while read -r q; do i=$((i+1)); echo "{\"id\":$i,\"skip\":\"$$\"}"; done"#;
    let mut subject = shell(script, PATIENT);
    let first = ask(&mut subject);
    assert!(matches!(first, Err(NoAnswer::Skip(_))), "{first:?}");
    for _ in 0..100 {
        assert_eq!(ask(&mut subject), first);
    }
}

#[test]
fn skips_and_errors_are_passed_on() {
    assert_eq!(reply(r#"{"id":ID,"skip":"big"}"#), Err(NoAnswer::Skip("big".into())));
    assert_eq!(reply(r#"{"id":ID,"error":"a\nb"}"#), Err(NoAnswer::Error("a\nb".into())));
}

#[test]
fn nonsense_is_told_apart() {
    assert!(nonsense("hello").contains("expected value"));
    assert!(nonsense("").contains("EOF"));
    assert!(nonsense(r#"{"id":7,"skip":"x"}"#).contains("`id` is 7 where 1 was asked"));
    assert!(nonsense(r#"{"id":-1,"skip":"x"}"#).contains("expected u64"));
    assert!(nonsense(r#"{"skip":"x"}"#).contains("missing field `id`"));
    assert!(nonsense(r#"{"id":ID}"#).contains("not exactly one"));
    assert!(nonsense(r#"{"id":ID,"skip":"x","error":"y"}"#).contains("not exactly one"));
    assert!(nonsense(r#"{"id":ID,"answer":[]}"#).contains("invalid"));
    assert!(nonsense(r#"{"id":ID,"answer":{}}"#).contains("missing field `blocks`"));
    assert!(nonsense(&"[".repeat(100_000)).contains("invalid type"));
    let answer = |blocks: &str| nonsense(&format!(r#"{{"id":ID,"answer":{{"blocks":{blocks}}}}}"#));
    assert!(answer(r#"{"nowhere":{"live_in":[]}}"#).contains("unknown block `nowhere`"));
    assert!(answer(r#"{"head":{"live_in":["d"]}}"#).contains("unknown value `d`"));
    assert!(answer(r#"{"head":{"live_inn":[]}}"#).contains("unknown field `live_inn`"));
    let head = r#""head":{"live_in":[]}"#;
    assert!(answer(&format!("{{{head},{head}}}")).contains("answered twice"));
    assert!(answer(r#"{},"after":{"head":[]}"#).contains("0 lists for the 1 instructions"));
    assert!(answer(r#"{},"after":{"head":[[]]}"#).contains("leaves out block `left`"));
}

#[test]
fn output_that_nobody_asked_for_is_nonsense() {
    let twice = r#"read -r q; printf '{"id":1,"skip":"x"}\n{"id":1,"skip":"x"}\n'; read -r q"#;
    let answer = first(twice, PATIENT);
    assert!(matches!(&answer, Err(NoAnswer::Nonsense(why)) if why.contains("no question")));

    let early = r#"echo welcome; read -r q; read -r q"#;
    let mut subject = shell(early, PATIENT);
    assert!(matches!(ask(&mut subject), Err(NoAnswer::Nonsense(_))));

    // It waits for the question: what comes before one answers none.
    let endless = "read -r q; while :; do printf aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done";
    times_out(endless);
    assert!(matches!(first("yes", PATIENT), Err(NoAnswer::Nonsense(_))));
    let line = first("read -r q; yes | tr -d '\\n'", PATIENT);
    assert!(matches!(&line, Err(NoAnswer::Nonsense(why)) if why.contains("longer than")));
}

#[test]
fn death_is_told_with_its_circumstances() {
    assert_eq!(
        crash("read -r q; echo one >&2; echo two >&2; exit 3"),
        "exit status: 3; stderr: one | two"
    );
    assert_eq!(crash("exit 0"), "exit status: 0");
    assert!(crash("kill -9 $$").starts_with("signal: 9"));
    assert_eq!(
        crash("read -r q; printf '{\"id\"'; exit 1"),
        "exit status: 1, in the middle of an answer: `{\"id\"`"
    );
    assert_eq!(crash("exec >&-; sleep 1000"), "closed its stdout");
    let orphan = "sleep 1000 & exit 4";
    assert_eq!(crash(orphan), "exit status: 4");
    let noisy = "yes >&2 & yes no >&2 & sleep 0.2; exit 5";
    assert!(crash(noisy).starts_with("exit status: 5; stderr: "));
}

#[test]
fn a_process_that_does_not_answer_is_given_up() {
    times_out("sleep 1000");
    times_out("read -r q; printf '{\"id\":1,'; sleep 1000");
    times_out("exec <&-; sleep 1000");
    times_out("read -r q; exec <&-; sleep 1000");
    times_out("trap '' TERM INT HUP; while :; do sleep 1; done");
    times_out("yes >&2");
}

#[test]
fn megabytes_of_stderr_do_not_block() {
    let script = r#"read -r q; yes | head -c 8000000 >&2; echo '{"id":1,"skip":"x"}'; read -r q"#;
    assert_eq!(first(script, PATIENT), Err(NoAnswer::Skip("x".into())));
}

#[test]
fn a_question_larger_than_a_pipe_is_sent_to_whoever_reads() {
    let mut function = builder::diamond();
    let args = (0..200_000).map(Operand::Const).collect();
    let callee = "f".into();
    let call = backedge_core::ir::Op::Call { callee, args };
    let span = backedge_core::diagnostic::Span::NONE;
    let inst = backedge_core::ir::Inst { dest: None, op: call, span };
    function.blocks[Block::from_u32(0)].insts.push(inst);
    let script = r#"read -r q; echo "{\"id\":1,\"skip\":\"${#q}\"}"; read -r q"#;
    let length = match LivenessSolver::liveness(&mut shell(script, PATIENT), &function) {
        Err(NoAnswer::Skip(length)) => length.parse::<usize>().unwrap(),
        other => panic!("{other:?}"),
    };
    assert!(length > 1_000_000);
    let deaf = LivenessSolver::liveness(&mut shell("sleep 1000", QUICK), &function);
    assert_eq!(deaf, Err(NoAnswer::Timeout(QUICK)));
}

#[test]
fn a_failed_process_is_replaced() {
    let once =
        r#"read -r q; id=${q#*:}; echo "{\"id\":${id%%,*},\"error\":\"$$\"}"; read -r q; exit 1"#;
    let mut subject = shell(once, PATIENT);
    let mut pids = std::collections::BTreeSet::new();
    for _ in 0..3 {
        let Err(NoAnswer::Error(pid)) = ask(&mut subject) else { panic!() };
        pids.insert(pid);
        assert!(matches!(ask(&mut subject), Err(NoAnswer::Crash(_))));
    }
    assert_eq!(pids.len(), 3);
}

#[test]
fn nothing_is_left_behind() {
    let script = "sleep 1000 & sleep 1000 & echo $$ >&2; exec sleep 1000";
    let process = Connection::start(&["sh".into(), "-c".into(), script.into()]).unwrap();
    let group = Pid::from_raw(process.id() as i32).unwrap();
    assert!(test_kill_process_group(group).is_ok());
    drop(process);
    let start = Instant::now();
    // Orphans are reaped by the system, which may take a moment.
    while test_kill_process_group(group).is_ok() && start.elapsed() < PATIENT {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(test_kill_process_group(group).is_err());
}

#[test]
fn a_process_may_end_by_itself() {
    let dir = std::env::temp_dir().join(format!("backedge-end-{}", std::process::id()));
    let script =
        format!("while read -r q; do :; done; sleep 0.05; echo done > '{}'", dir.display());
    drop(Connection::start(&["sh".into(), "-c".into(), script]).unwrap());
    assert_eq!(std::fs::read_to_string(&dir).unwrap(), "done\n");
    std::fs::remove_file(&dir).unwrap();
}

#[test]
fn bad_commands_are_usage_errors() {
    let error = |line: &str| Process::new(line, QUICK).unwrap_err().to_string();
    assert_eq!(error("  "), "the command is empty");
    assert_eq!(error("sh 'oops"), "a quote is not closed");
    assert!(
        error("no-such-program-anywhere x").starts_with("can't start `no-such-program-anywhere`: ")
    );
    assert!(error("/").starts_with("can't start `/`: "));
}

#[test]
fn the_function_that_is_sent_is_the_one_that_is_judged() {
    let mut function = builder::diamond();
    let subject = shell("read -r q", QUICK);
    assert_eq!(subject.prepare(&function), None);
    let [head, left, right] = [0, 1, 2].map(Block::from_u32);
    function.blocks[head].term = TerminatorKind::TryCall {
        dest: Some(Local::from_u32(0).into()),
        callee: "f".into(),
        args: [].into_iter().collect(),
        normal: left.into(),
        unwind: right.into(),
    }
    .into();
    assert_eq!(subject.prepare(&function), prepare(&function));
    assert!(subject.prepare(&function).is_some());
}

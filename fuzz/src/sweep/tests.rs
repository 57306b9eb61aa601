//! A sweep with checks that are made up, so that what they find depends on the case alone.

use super::*;
use crate::generate::Shape;
use crate::report::{Parameters, merge as merge_reports};
use backedge_oracle::check::{At, Case, Check, Finding, Verdict};
use backedge_oracle::subject::{Subject, SubjectFactory};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

struct Nobody;

impl Subject for Nobody {
    fn name(&self) -> &str {
        "nobody"
    }
}

impl SubjectFactory for Nobody {
    fn name(&self) -> &str {
        "nobody"
    }

    fn make(&self) -> Box<dyn Subject> {
        Box::new(Nobody)
    }
}

/// Does not like functions with more than three blocks, and has no word for those with one.
#[derive(Default)]
struct Picky {
    judged: AtomicU64,
}

impl Check for Picky {
    fn name(&self) -> &'static str {
        "picky"
    }

    fn kinds(&self) -> &'static [&'static str] {
        &["big", "odd"]
    }

    fn judge(&self, case: &Case, _: &mut dyn Subject) -> Verdict {
        self.judged.fetch_add(1, Ordering::Relaxed);
        let blocks = case.program.functions[0].blocks.len();
        let finding = |kind| Finding {
            check: "picky",
            kind,
            function: "f".to_owned(),
            at: At::Function,
            expected: "few blocks".to_owned(),
            answered: format!("{blocks} blocks"),
        };
        let kinds = [(blocks > 3, "big"), (blocks > 3 && blocks % 2 == 1, "odd")];
        let findings: Vec<Finding> =
            kinds.into_iter().filter(|(is, _)| *is).map(|(_, kind)| finding(kind)).collect();
        match blocks {
            1 => Verdict::Skip("one block".to_owned()),
            _ if findings.is_empty() => Verdict::Pass,
            _ => Verdict::Findings(findings),
        }
    }
}

/// Contradicts itself on every case.
struct Confused;

impl Check for Confused {
    fn name(&self) -> &'static str {
        "confused"
    }

    fn kinds(&self) -> &'static [&'static str] {
        &[]
    }

    fn judge(&self, _: &Case, _: &mut dyn Subject) -> Verdict {
        Verdict::Broken("two references disagree".to_owned())
    }
}

fn plan(seeds: Seeds) -> Plan {
    plan_with(seeds, Arc::new(Picky::default()))
}

fn plan_with(seeds: Seeds, check: Arc<dyn Check>) -> Plan {
    Plan {
        judges: vec![Judge::new(check, Arc::new(Nobody))],
        config: Config { shapes: vec![Shape::Goto, Shape::Tiny], max_blocks: 12 },
        seeds,
        time: None,
        stop_first: false,
    }
}

fn range(first: u64, count: u64) -> Seeds {
    Seeds { first, step: 1, count }
}

fn empty(plan: &Plan) -> Report {
    let mut report = Report::new("sweep", Parameters::default(), 0);
    report.seeds = vec![plan.seeds.take(0)];
    report
}

fn run_on(plan: &Plan, mut report: Report, out: &Path, jobs: usize) -> Report {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build().expect("a pool");
    let folder = Folder::open(out).expect("a folder");
    let stop = Arc::default();
    let progress = Progress::hidden();
    pool.install(|| sweep(plan, &mut report, &folder, &progress, &stop))
        .expect("it can be written");
    report
}

/// The report without what may differ: time, and the folder that findings are in.
fn comparable(mut report: Report, out: &Path) -> Report {
    report.seconds = 0.0;
    report.derive();
    for finding in &mut report.findings {
        let path = Path::new(&finding.path).strip_prefix(out).expect("it is in the folder");
        finding.path = path.display().to_string();
    }
    report
}

fn run(plan: &Plan, jobs: usize) -> Report {
    let out = tempfile::tempdir().expect("a folder");
    comparable(run_on(plan, empty(plan), out.path(), jobs), out.path())
}

#[test]
fn the_number_of_threads_makes_no_difference() {
    let report = run(&plan(range(0, 300)), 1);
    assert!(report.finished && report.cases == 300);
    let counts = &report.checks["picky"];
    assert!(counts.passed > 0 && counts.failed > 20 && counts.skipped() > 0, "{counts:?}");
    assert_eq!(counts.passed + counts.failed + counts.skipped(), 300);
    assert!(report.kinds.iter().all(|kind| kind.minimized == 20 && kind.failed > 20));
    for jobs in [2, 3, 8] {
        assert_eq!(run(&plan(range(0, 300)), jobs), report, "{jobs} jobs");
    }
}

#[test]
fn merged_shards_are_the_whole() {
    let whole = run(&plan(range(5, 301)), 2);
    for n in [2, 3] {
        let mut shards = (1..=n).rev().map(|k| {
            let seeds = Seeds::shard(5, 301, k, n).expect("fits");
            run(&plan(seeds), k as usize)
        });
        let mut sum = shards.next().expect("there are several");
        shards.for_each(|shard| merge_reports(&mut sum, &shard).expect("they belong together"));
        assert_eq!(sum, whole, "{n} shards");
    }
}

#[test]
fn a_resumed_sweep_is_a_whole_one() {
    let out = tempfile::tempdir().expect("a folder");
    let start = plan(range(0, 77));
    run_on(&start, empty(&start), out.path(), 2);
    let whole = plan(range(0, 300));
    let folder = Folder::open(out.path()).expect("a folder");
    let state = folder.resume(&empty(&whole), &whole.seeds).expect("it fits").expect("it is there");
    assert_eq!(state.cases, 77);
    drop(folder);
    let resumed = run_on(&whole, state, out.path(), 2);
    assert_eq!(comparable(resumed, out.path()), run(&whole, 1));
}

#[test]
fn stop_first_ends_at_the_lowest_failing_seed() {
    let whole = run(&plan(range(0, 300)), 1);
    let lowest = whole.findings.iter().map(|finding| finding.seed).min().expect("it fails");
    for jobs in [1, 2, 5] {
        let mut first = plan(range(0, 300));
        first.stop_first = true;
        let report = run(&first, jobs);
        assert_eq!(report.seeds, [range(0, lowest + 1)], "{jobs} jobs");
        assert_eq!((report.cases, report.checks["picky"].failed), (lowest + 1, 1));
        assert!(report.finished);
    }
}

#[test]
fn time_ends_a_sweep_that_has_no_end() {
    let mut timed = plan(range(0, u64::MAX));
    timed.time = Some(Duration::from_millis(300));
    let report = run(&timed, 2);
    assert!(report.finished && report.cases > 0);
    assert_eq!(report.seeds, [range(0, report.cases)]);
    let again = run(&plan(range(0, report.cases)), 1);
    assert_eq!(again.checks, report.checks);
    assert_eq!(again.findings, report.findings);
}

#[test]
fn a_stopped_sweep_keeps_what_it_has() {
    let plan = plan(range(0, 300));
    let out = tempfile::tempdir().expect("a folder");
    let folder = Folder::open(out.path()).expect("a folder");
    let mut report = empty(&plan);
    let stop = Arc::new(AtomicBool::new(true));
    sweep(&plan, &mut report, &folder, &Progress::hidden(), &stop).expect("it can be written");
    assert!(!report.finished);
    assert_eq!(report.cases, 0);
}

#[test]
fn a_finding_has_a_folder_of_its_own() {
    let out = tempfile::tempdir().expect("a folder");
    let plan = plan(range(0, 60));
    let report = run_on(&plan, empty(&plan), out.path(), 2);
    for finding in &report.findings {
        let path = Path::new(&finding.path);
        let case = std::fs::read_to_string(path.join("case.cfg")).expect("the case");
        assert!(case.contains("check: picky") && case.contains("kind: "), "{case}");
        for file in ["original.cfg", "report.html", "replay.sh"] {
            assert!(path.join(file).is_file(), "{file}");
        }
        assert!(finding.one_minimal && !finding.flaky);
        assert!((4..=5).contains(&finding.blocks), "{finding:?}");
    }
}

#[test]
fn a_broken_harness_is_counted_apart() {
    let report = run(&plan_with(range(0, 50), Arc::new(Confused)), 2);
    assert_eq!(report.checks["confused"].broken, 50);
    assert!(report.is_broken() && !report.has_findings());
    let seeds: Vec<u64> = report.broken.iter().map(|broken| broken.seed).collect();
    assert_eq!(seeds, (0..20).collect::<Vec<_>>());
}

#[test]
fn a_folder_serves_one_sweep_at_a_time() {
    let out = tempfile::tempdir().expect("a folder");
    let first = Folder::open(out.path()).expect("a folder");
    assert!(matches!(Folder::open(out.path()), Err(FolderError::Locked(_))));
    drop(first);
    Folder::open(out.path()).expect("nobody holds it any more");
}

#[test]
fn a_state_of_another_sweep_is_refused() {
    let out = tempfile::tempdir().expect("a folder");
    let plan = plan(range(0, 30));
    run_on(&plan, empty(&plan), out.path(), 1);
    let folder = Folder::open(out.path()).expect("a folder");
    let why = |wanted: &Report, seeds: Seeds| match folder.resume(wanted, &seeds) {
        Err(FolderError::State { why, .. }) => why,
        other => panic!("{other:?}"),
    };
    let mut wanted = empty(&plan);
    wanted.parameters.max_blocks = 9;
    assert!(why(&wanted, plan.seeds).contains("--max-blocks 0, not 9"));
    wanted = empty(&plan);
    wanted.parameters.subjects.push("core".to_owned());
    assert!(why(&wanted, plan.seeds).contains("subjects"));
    wanted = empty(&plan);
    assert!(why(&wanted, range(0, 29)).contains("30 cases already"));
    assert!(why(&wanted, Seeds { first: 0, step: 2, count: 90 }).contains("another shard"));
    std::fs::write(out.path().join("state.json"), "{").expect("it can be written");
    assert!(why(&wanted, plan.seeds).contains("is no report"));
}

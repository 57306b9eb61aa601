use super::*;
use backedge_oracle::measures::Count;

fn kind(failed: u64, minimized: u64) -> Kind {
    Kind {
        check: "liveness".to_owned(),
        kind: "missing-live-in".to_owned(),
        subject: "core".to_owned(),
        failed,
        minimized,
    }
}

fn finding(hash: &str, seeds: &[u64]) -> Finding {
    let found = check::Finding {
        check: "liveness",
        kind: "missing-live-in",
        function: "f".to_owned(),
        at: check::At::Function,
        expected: "a".to_owned(),
        answered: "b".to_owned(),
    };
    let mut finding = Finding::of(&found, "core");
    finding.hash = hash.to_owned();
    finding.seed = seeds[0];
    finding.seeds = seeds.to_vec();
    finding.count = seeds.len() as u64;
    finding
}

/// A report of `seeds`, all failing, of which those that fall to it were minimized to two shapes by
/// turns.
fn report(seeds: Seeds) -> Report {
    let mut report = Report::new("sweep", Parameters::default(), 0);
    report.seeds = vec![seeds];
    report.finished = true;
    report.cases = seeds.count;
    report.blocks = seeds.count * 3;
    report.seconds = 1.0;
    report.shapes.insert("goto".to_owned(), seeds.count);
    let mut counts = Counts { failed: seeds.count, ..Counts::default() };
    counts.skipped.insert("no answer".to_owned(), 2 * seeds.count);
    report.count("core", "liveness", &counts);
    let minimized = seeds.count.min(MINIMIZED as u64);
    report.kinds.push(kind(seeds.count, minimized));
    for shape in 0..2 {
        let all = (0..minimized).map(|index| seeds.get(index));
        let of_shape: Vec<u64> = all.filter(|seed| seed / 3 % 2 == shape).collect();
        if !of_shape.is_empty() {
            report.findings.push(finding(&shape.to_string(), &of_shape));
        }
    }
    report.derive();
    report
}

fn merged(mut sum: Report, others: &[Report]) -> Report {
    for other in others {
        merge(&mut sum, other).expect("they belong together");
    }
    // Time is not among what must be the same.
    sum.seconds = 1.0;
    sum.derive();
    sum
}

#[test]
fn merged_shards_are_the_whole() {
    for cases in [1, 2, 30, 45, 100] {
        let whole = report(Seeds { first: 0, step: 1, count: cases });
        let shard = |k| report(Seeds::shard(0, cases, k, 3).expect("fits"));
        assert_eq!(merged(shard(1), &[shard(2), shard(3)]), whole, "{cases} cases");
        assert_eq!(merged(shard(3), &[shard(1), shard(2)]), whole, "{cases} cases");
    }
}

#[test]
fn merged_ranges_are_the_whole() {
    let whole = report(Seeds { first: 0, step: 1, count: 50 });
    let low = report(Seeds { first: 0, step: 1, count: 13 });
    let high = report(Seeds { first: 13, step: 1, count: 37 });
    assert_eq!(merged(high, &[low]), whole);
}

#[test]
fn only_the_lowest_failures_count_as_minimized() {
    let sum = merged(report(Seeds { first: 0, step: 1, count: 60 }), &[]);
    let counted: u64 = sum.findings.iter().map(|finding| finding.count).sum();
    assert_eq!((counted, sum.kinds[0].minimized, sum.kinds[0].failed), (20, 20, 60));
    // A finding all of whose seeds are above the lowest ones is none any more.
    let mut high = report(Seeds { first: 60, step: 1, count: 1 });
    high.findings = vec![finding("other", &[60])];
    let both = merged(sum, &[high]);
    assert!(both.findings.iter().all(|finding| finding.hash != "other"));
    assert_eq!((both.kinds[0].minimized, both.kinds[0].failed), (20, 61));
}

#[test]
fn what_does_not_belong_together_is_not_merged() {
    let one = report(Seeds { first: 0, step: 2, count: 5 });
    let other = || report(Seeds { first: 1, step: 2, count: 5 });
    let error = |other: &Report| merge(&mut one.clone(), other).expect_err("it differs");
    assert_eq!(error(&one), MergeError::Overlap(0));
    assert_eq!(error(&report(Seeds { first: 5, step: 3, count: 9 })), MergeError::Overlap(8));
    let mut differs = other();
    differs.generator.push('!');
    assert!(error(&differs).to_string().contains("generator"));
    let mut differs = other();
    differs.parameters.max_blocks = 7;
    assert!(error(&differs).to_string().contains("0 and 7"));
    let mut differs = other();
    differs.command = "check".to_owned();
    assert_eq!(error(&differs), MergeError::Command("check".to_owned()));
}

#[test]
fn broken_cases_are_kept_by_the_lowest_seeds() {
    let with_broken = |seeds: Seeds| {
        let mut report = report(seeds);
        report.broken = (0..seeds.count.min(MINIMIZED as u64))
            .map(|index| Broken {
                check: "cfg".to_owned(),
                subject: "core".to_owned(),
                seed: seeds.get(index),
                message: String::new(),
            })
            .collect();
        report
    };
    let shard = |k| with_broken(Seeds::shard(0, 50, k, 2).expect("fits"));
    let seeds =
        |report: Report| -> Vec<u64> { report.broken.iter().map(|broken| broken.seed).collect() };
    assert_eq!(seeds(merged(shard(2), &[shard(1)])), (0..20).collect::<Vec<_>>());
}

#[test]
fn json_reads_back() {
    let report = report(Seeds { first: 3, step: 1, count: 30 });
    assert_eq!(Report::from_json(&report.to_json()), Ok(report));
}

#[test]
fn json_that_is_no_report_is_told_apart() {
    let why = |text: &str| Report::from_json(text).expect_err("it is no report");
    assert!(why("").contains("is no report"));
    assert!(why("{}").contains("is no report"));
    assert!(why(r#"{"version":1}"#).contains("damaged"));
    let newer = report(Seeds { first: 0, step: 1, count: 1 })
        .to_json()
        .replace("\"version\": 1", "\"version\": 2");
    assert!(why(&newer).contains("version 2, not 1"), "{}", why(&newer));
}

#[test]
fn the_table_names_every_check_shape_and_finding() {
    let mut report = report(Seeds { first: 0, step: 1, count: 30 });
    report.findings.iter_mut().for_each(|finding| finding.path = "some/where".to_owned());
    let text = table::whole(&report, table::Style::default());
    for part in ["liveness", "core", "goto", "60 (no answer)", "30 cases", "some/where", "20 of"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    assert!(!text.contains('\x1b'));
    assert!(table::whole(&report, table::Style { color: true }).contains("\x1b[1;31m"));
}

#[test]
fn the_table_tells_what_allocators_cost_and_merging_adds_it() {
    let mut measures = Measures::default();
    for (count, sum) in [
        (Count::Functions, 4),
        (Count::Instructions, 200),
        (Count::Spills, 3),
        (Count::Steps, 1000),
        (Count::MachineSteps, 2750),
    ] {
        measures.add("linear-scan", count, sum);
    }
    measures.add("", Count::Blocks, 40);
    measures.add("", Count::BlocksCovered, 39);
    let mut sum = report(Seeds { first: 0, step: 1, count: 30 });
    sum.measure("core", &measures);
    let mut other = report(Seeds { first: 30, step: 1, count: 30 });
    other.measure("core", &measures);
    merge(&mut sum, &other).expect("they cover different seeds");
    assert_eq!(sum.measures["core"]["linear-scan"]["spills"], 6);
    let text = table::whole(&sum, table::Style::default());
    let row: Vec<&str> = text
        .lines()
        .find(|line| line.starts_with("linear-scan"))
        .expect("there is a row for it")
        .split_whitespace()
        .collect();
    assert_eq!(row, ["linear-scan", "core", "8", "1.5", "0.0", "0.0", "0.0", "2.75"]);
    assert!(text.contains("97.5% of the reachable blocks and -% of"), "{text}");
    assert_eq!(Report::from_json(&sum.to_json()).expect("it is a report"), sum);
}

#[test]
fn junit_holds_findings_and_passes() {
    let mut report = report(Seeds { first: 0, step: 1, count: 30 });
    report.findings[0].message = "a < b & \"c\" \u{1} ]]>".to_owned();
    report.count("core", "cfg", &Counts { passed: 30, ..Counts::default() });
    let xml = junit::xml(&report).expect("it is made");
    assert_eq!(xml.matches("<failure").count(), 2, "{xml}");
    assert!(xml.contains("a &lt; b &amp;") && !xml.contains('\u{1}'), "{xml}");
    assert!(xml.contains("cfg on core") && xml.contains("name=\"all cases\""), "{xml}");
}

#[test]
fn hashes_tell_kinds_and_subjects_apart() {
    let one = finding("", &[0]);
    let mut other = one.clone();
    other.subject.push('x');
    let hashes = [folder::hash(&one, "a"), folder::hash(&one, "b"), folder::hash(&other, "a")];
    assert!(hashes.iter().all(|hash| hash.len() == 16));
    assert!(hashes[0] != hashes[1] && hashes[0] != hashes[2] && hashes[1] != hashes[2]);
}

#[test]
fn commands_are_quoted() {
    let mut finding = finding("", &[4]);
    finding.shape = "goto".to_owned();
    finding.subject = "./solve it's".to_owned();
    let replay = folder::replay(&finding, 12);
    assert!(replay.contains(r"--subject './solve it'\''s'"), "{replay}");
    assert!(replay.contains("--seed 4 --cases 1 --shape goto --max-blocks 12"), "{replay}");
}

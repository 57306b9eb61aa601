//! `backedge sweep`: generates and checks cases.

use super::args::{Common, seconds};
use super::generating::Generating;
use super::output::{Reports, stop_on_signal};
use super::{Failure, Outcome, print};
use crate::judge::Judge;
use crate::report::{Parameters, Report, Seeds, table};
use crate::sweep::{self, Folder, FolderError, Plan, Progress};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// How many cases there are unless the user says how many.
const CASES: u64 = 10_000;

/// Arguments of `backedge sweep`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    generating: Generating,
    /// The first seed.
    #[arg(long, value_name = "FIRST", default_value_t = 0)]
    seed: u64,
    /// How many cases, of all shards together [default: 10000].
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    cases: Option<u64>,
    /// How long, instead of how many.
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<Duration>,
    /// Take every Nth seed only, from the Kth on; `merge` adds the reports of all N.
    #[arg(long, value_name = "K/N", default_value = "1/1")]
    shard: Shard,
    /// Where findings and the state go.
    #[arg(long, value_name = "DIR", default_value = "backedge-out")]
    out: PathBuf,
    /// Go on where the last sweep into the same --out ended.
    #[arg(long)]
    resume: bool,
    /// End at the first failing case.
    #[arg(long)]
    stop_first: bool,
    #[command(flatten)]
    reports: Reports,
}

/// Runs it.
pub(super) fn run(args: &Args) -> Result<Outcome, Failure> {
    let plan = args.plan()?;
    let mut report = Report::new("sweep", args.parameters(&plan), args.seed);
    report.seeds = vec![plan.seeds.take(0)];
    for judge in &plan.judges {
        report.count(judge.subject().name(), judge.check().name(), &Default::default());
    }
    args.reports.probe()?;
    let pool = args.common.pool()?;
    let folder = Folder::open(&args.out)?;
    if args.resume
        && let Some(state) = folder.resume(&report, &plan.seeds)?
    {
        report = state;
    }
    let stop = stop_on_signal()?;
    let progress = match args.common.quiet {
        true => Progress::hidden(),
        false => Progress::new(plan.seeds.count, plan.time),
    };
    let swept = pool.install(|| sweep::sweep(&plan, &mut report, &folder, &progress, &stop));
    progress.finish();
    // What was found is told even where the folder can't be written any more.
    let written = args.reports.write(&report).and(args.print(&report));
    swept?;
    written?;
    Ok(Outcome::of(&report))
}

impl Args {
    fn plan(&self) -> Result<Plan, Failure> {
        let Shard { k, n } = self.shard;
        let all = u64::MAX - self.seed;
        let cases = match (self.cases, self.seconds) {
            (Some(cases), _) => cases,
            (None, Some(_)) => all,
            (None, None) => CASES,
        };
        let seeds = Seeds::shard(self.seed, cases, k, n)
            .ok_or_else(|| Failure::Usage("the last seed does not fit into 64 bits".to_owned()))?;
        let subjects = self.common.subjects()?;
        let checks = self.common.checks()?;
        let judges = subjects.iter().flat_map(|subject| {
            checks.iter().map(|check| Judge::new(check.clone(), subject.clone()))
        });
        Ok(Plan {
            judges: judges.collect(),
            config: self.generating.config(),
            seeds,
            time: self.seconds,
            stop_first: self.stop_first,
        })
    }

    fn parameters(&self, plan: &Plan) -> Parameters {
        let mut parameters = Parameters {
            shapes: plan.config.shapes.iter().map(|shape| shape.name().to_owned()).collect(),
            max_blocks: plan.config.max_blocks,
            timeout_seconds: self.common.timeout.as_secs_f64(),
            ..Parameters::default()
        };
        for judge in &plan.judges {
            let (check, subject) = (judge.check().name(), judge.subject().name());
            if !parameters.checks.iter().any(|name| name == check) {
                parameters.checks.push(check.to_owned());
            }
            if !parameters.subjects.iter().any(|name| name == subject) {
                parameters.subjects.push(subject.to_owned());
            }
        }
        parameters
    }

    fn print(&self, report: &Report) -> Result<(), Failure> {
        let style = table::Style { color: self.common.color.on_stdout() };
        match self.common.quiet {
            false => print(&table::whole(report, style)),
            true if report.has_findings() || report.is_broken() => {
                print(&table::kinds(report, style))
            }
            true => Ok(()),
        }
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Failure {
        match error {
            FolderError::State { .. } => Failure::Usage(error.to_string()),
            FolderError::Locked(_) | FolderError::Io { .. } => Failure::Harness(error.to_string()),
        }
    }
}

/// `K/N`: the Kth of N shards.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Shard {
    k: u64,
    n: u64,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').map(|(k, n)| (k.parse::<u32>(), n.parse::<u32>()));
        match parts {
            Some((Ok(k), Ok(n))) if (1..=n).contains(&k) => Ok(Shard { k: k.into(), n: n.into() }),
            _ => Err("must be K/N with K from 1 to N, such as 1/2".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_counted_from_one() {
        assert_eq!("2/3".parse(), Ok(Shard { k: 2, n: 3 }));
        for bad in ["0/2", "3/2", "1", "1/0", "/", "a/b", "-1/2", "1/2/3"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}

//! Flags that several commands share.

use super::{Color, Failure};
use crate::subjects;
use backedge_oracle::check::{self, Check};
use backedge_oracle::subject::SubjectFactory;
use std::sync::Arc;
use std::time::Duration;

/// What is checked, and how it is shown.
#[derive(Clone, Debug, clap::Args)]
pub struct Common {
    /// Run only these checks [default: all].
    #[arg(long = "check", value_name = "NAME", value_delimiter = ',')]
    pub checks: Vec<String>,
    /// Check this subject instead of core: `core`, `fault:NAME`, or a command line that speaks the
    /// subject protocol. May be given several times.
    #[arg(long = "subject", value_name = "S")]
    pub subjects: Vec<String>,
    /// How long a subject may take for an answer before that is a finding.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub timeout: Duration,
    /// How many threads to use [default: one a core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Show no progress and print only findings.
    #[arg(long, short)]
    pub quiet: bool,
    /// When to color.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

impl Common {
    /// The checks that `--check` names; all without it.
    ///
    /// # Errors
    /// When a name is unknown.
    pub fn checks(&self) -> Result<Vec<Arc<dyn Check>>, Failure> {
        checks_named(&self.checks)
    }

    /// The subjects that `--subject` names; `core` without it.
    ///
    /// # Errors
    /// When one is unknown.
    pub fn subjects(&self) -> Result<Vec<Arc<dyn SubjectFactory>>, Failure> {
        let core = ["core".to_owned()];
        let named = if self.subjects.is_empty() { &core[..] } else { &self.subjects };
        self.subjects_named(named)
    }

    /// The subjects with these names.
    ///
    /// # Errors
    /// When one is unknown.
    pub fn subjects_named(
        &self,
        names: &[String],
    ) -> Result<Vec<Arc<dyn SubjectFactory>>, Failure> {
        let mut found: Vec<Arc<dyn SubjectFactory>> = Vec::new();
        for name in names {
            let subject = subjects::resolve(name, self.timeout)
                .map_err(|error| Failure::Usage(error.to_string()))?;
            if found.iter().all(|other| other.name() != subject.name()) {
                found.push(subject);
            }
        }
        Ok(found)
    }

    /// A pool with as many threads as `--jobs` says.
    ///
    /// # Errors
    /// When threads can't be started.
    pub fn pool(&self) -> Result<rayon::ThreadPool, Failure> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.jobs.map_or(0, usize::from))
            .build()
            .map_err(|error| Failure::Harness(format!("can't start threads: {error}")))
    }
}

/// The checks with these names, in the order of the manual; all if there are none.
///
/// # Errors
/// When a name is unknown.
pub(super) fn checks_named(names: &[String]) -> Result<Vec<Arc<dyn Check>>, Failure> {
    let all: Vec<Arc<dyn Check>> = check::all().into_iter().map(Arc::from).collect();
    if let Some(unknown) = names.iter().find(|name| all.iter().all(|check| check.name() != *name)) {
        let known: Vec<&str> = all.iter().map(|check| check.name()).collect();
        let known = known.join(", ");
        return Err(Failure::Usage(format!("unknown check `{unknown}`; there are {known}")));
    }
    let wanted = |check: &Arc<dyn Check>| names.iter().any(|name| name == check.name());
    Ok(all.into_iter().filter(|check| names.is_empty() || wanted(check)).collect())
}

/// A positive number of seconds, which may have a fraction.
///
/// # Errors
/// When it is none.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let value: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    match Duration::try_from_secs_f64(value) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("must be more than 0, and not endless".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_positive_and_finite() {
        assert_eq!(seconds("1.5"), Ok(Duration::from_millis(1500)));
        for bad in ["0", "-1", "inf", "nan", "1e30", "x", ""] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_unknown_check_is_named() {
        let error = checks_named(&["nonsense".to_owned()]).err().expect("it does not exist");
        assert!(error.to_string().contains("`nonsense`"), "{error}");
        assert_eq!(error.code(), 2);
    }
}

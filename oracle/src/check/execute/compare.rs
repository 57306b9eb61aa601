//! What a run of the machine does otherwise than the run of the program that it was made from.

use crate::emulator::{Fault, Outcome};
use crate::run::{self, Ending, Event, Run, agree};

/// The first difference between two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) kind: &'static str,
    /// What the program does there.
    pub(super) expected: String,
    /// What the machine does there.
    pub(super) answered: String,
}

/// The first difference that counts: of the runs, or a fault of the machine, which is told as such where
/// it cut the machine's run short. Beyond a point where the program has no meaning the machine is free.
pub(super) fn difference(program: &Run, machine: &Outcome) -> Option<Difference> {
    let is_free = matches!(program.ending, Ending::Undefined(_) | Ending::Unreachable);
    let fault = machine.fault.as_ref().filter(|_| !is_free);
    let cut_short = fault.filter(|fault| !matches!(fault, Fault::NotRestored { .. }));
    match (compare(program, &machine.run, is_free), cut_short) {
        (Some(found), Some(fault)) => match found {
            run::Difference::Trace { found: Some(_), .. } => {
                Some(of_runs(found, program, &machine.run))
            }
            _ => Some(of_fault(fault, program)),
        },
        (Some(found), None) => Some(of_runs(found, program, &machine.run)),
        (None, _) => fault.map(|fault| of_fault(fault, program)),
    }
}

/// Holds the runs together as any two are, and a little more: which of them was given up is known here.
/// A machine that came to an end before the program's trace did is wrong, and so is one that comes to
/// none although the program does, since it gets more instructions than it needs.
fn compare(program: &Run, machine: &Run, is_free: bool) -> Option<run::Difference> {
    if let Err(found) = agree(program, machine) {
        return Some(*found);
    }
    let gave_up = [program, machine].map(|run| run.ending == Ending::OutOfFuel);
    let at = machine.trace.len();
    match (gave_up, program.trace.get(at)) {
        ([true, false], Some(expected)) => {
            Some(run::Difference::Trace { at, expected: Some(expected.clone()), found: None })
        }
        ([false, true], _) if !is_free => {
            let [expected, found] = [program, machine].map(|run| run.ending.clone());
            Some(run::Difference::Ending { expected, found })
        }
        _ => None,
    }
}

fn of_runs(found: run::Difference, program: &Run, machine: &Run) -> Difference {
    match found {
        run::Difference::Trace { at, expected, found } => Difference {
            kind: "trace-differs",
            expected: event(expected.as_ref(), at, &program.ending),
            answered: event(found.as_ref(), at, &machine.ending),
        },
        run::Difference::Ending { expected, found } => ending(&expected, &found),
        run::Difference::Memory { word, expected, found } => {
            let [expected, answered] = [expected, found].map(|value| match value {
                Some(value) => format!("{value} in word {word} of the memory"),
                None => format!("a memory of {word} words"),
            });
            Difference { kind: "memory-differs", expected, answered }
        }
        // Code with resources is not lowered, so that there are none.
        run::Difference::Leaks { expected, found } => Difference {
            kind: "ending-differs",
            expected: format!("the leaks {expected:?}"),
            answered: format!("the leaks {found:?}"),
        },
    }
}

fn event(event: Option<&Event>, index: usize, ending: &Ending) -> String {
    match event {
        Some(event) => format!("{event} as event {}", index + 1),
        None => format!("no event {}: the run {ending}", index + 1),
    }
}

fn ending(expected: &Ending, answered: &Ending) -> Difference {
    let kind = match (expected, answered) {
        (Ending::Returned(_), Ending::Returned(_)) => "result-differs",
        _ => "ending-differs",
    };
    let [expected, answered] = [expected, answered].map(|ending| format!("a run that {ending}"));
    Difference { kind, expected, answered }
}

fn of_fault(fault: &Fault, program: &Run) -> Difference {
    let (kind, expected) = match fault {
        Fault::NotRestored { reg, .. } => ("callee-saved-lost", format!("{reg} as it was")),
        _ => ("bad-access", format!("a run that {}", program.ending)),
    };
    Difference { kind, expected, answered: fault.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backedge_core::machine::Reg;

    fn call(argument: i64) -> Event {
        Event::Call { callee: "e".into(), args: [argument].into_iter().collect() }
    }

    fn run(events: &[i64], ending: Ending) -> Run {
        let trace = events.iter().copied().map(call).collect();
        Run { trace, memory: vec![1, 2], leaks: Vec::new(), ending, steps: 9 }
    }

    fn kind(program: &Run, machine: Run) -> Option<&'static str> {
        let difference = difference(program, &Outcome { run: machine, fault: None })?;
        assert_ne!(difference.expected, difference.answered);
        Some(difference.kind)
    }

    const THREE: Ending = Ending::Returned(Some(3));

    #[test]
    fn equal_runs_agree_whatever_the_steps() {
        for ending in [THREE, Ending::Unwound, Ending::TapeExhausted, Ending::OutOfFuel] {
            let machine = Run { steps: 100, ..run(&[1, 2], ending.clone()) };
            assert_eq!(kind(&run(&[1, 2], ending), machine), None);
        }
    }

    #[test]
    fn each_difference_has_its_kind() {
        let program = run(&[1, 2], THREE);
        assert_eq!(kind(&program, run(&[1, 3], THREE)), Some("trace-differs"));
        assert_eq!(kind(&program, run(&[1], THREE)), Some("trace-differs"));
        assert_eq!(kind(&program, run(&[1, 2, 3], THREE)), Some("trace-differs"));
        let four = Ending::Returned(Some(4));
        assert_eq!(kind(&program, run(&[1, 2], four)), Some("result-differs"));
        assert_eq!(kind(&program, run(&[1, 2], Ending::Unwound)), Some("ending-differs"));
        // The machine's budget is ample: one that does not come to an end loops.
        assert_eq!(kind(&program, run(&[1, 2], Ending::OutOfFuel)), Some("ending-differs"));
        let machine = Run { memory: vec![1, 5], ..run(&[1, 2], THREE) };
        assert_eq!(kind(&program, machine), Some("memory-differs"));
    }

    #[test]
    fn runs_that_are_given_up_agree_as_far_as_they_go() {
        let program = run(&[1, 2], Ending::OutOfFuel);
        assert_eq!(kind(&program, run(&[1], Ending::OutOfFuel)), None);
        assert_eq!(kind(&program, run(&[1, 2, 3], THREE)), None);
        assert_eq!(kind(&program, run(&[1, 3], Ending::OutOfFuel)), Some("trace-differs"));
        assert_eq!(kind(&program, run(&[1], THREE)), Some("trace-differs"));
    }

    #[test]
    fn nothing_is_asked_beyond_what_has_no_meaning() {
        for ending in [Ending::Undefined("read".into()), Ending::Unreachable] {
            let program = run(&[1, 2], ending);
            assert_eq!(kind(&program, run(&[1, 2, 3], THREE)), None);
            assert_eq!(kind(&program, run(&[1, 2], Ending::Unwound)), None);
            assert_eq!(kind(&program, run(&[2, 2], THREE)), Some("trace-differs"));
            assert_eq!(kind(&program, run(&[1], THREE)), Some("trace-differs"));
        }
    }

    #[test]
    fn faults_are_findings_wherever_the_program_has_meaning() {
        let lost = Fault::NotRestored { reg: Reg::SP, expected: 1, found: 2 };
        let access = Fault::Access { address: 8, at: 4 };
        for (fault, expected) in [(lost, "callee-saved-lost"), (access, "bad-access")] {
            let machine = Outcome { run: run(&[1], THREE), fault: Some(fault) };
            for ending in [THREE, Ending::OutOfFuel] {
                let found = difference(&run(&[1], ending), &machine);
                assert_eq!(found.map(|found| found.kind), Some(expected));
            }
            assert_eq!(difference(&run(&[1], Ending::Unreachable), &machine), None);
        }
        // A run that a bad access cut short is told as that.
        let fault = Some(Fault::Jump { address: 0 });
        let machine = Outcome { run: run(&[1], Ending::Undefined("jump".into())), fault };
        let found = difference(&run(&[1, 2], THREE), &machine);
        assert_eq!(found.map(|found| found.kind), Some("bad-access"));
    }
}

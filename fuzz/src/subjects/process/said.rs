//! What a process said, cut to a length that people read.

/// Most bytes of an excerpt.
const EXCERPT: usize = 160;
/// How much of stderr is kept.
const TAIL_BYTES: usize = 2 << 10;
const TAIL_LINES: usize = 5;

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The process died, or closed its output: how.
    Died(String),
    /// The time is up.
    Silent,
    /// It wrote something else than one line of an acceptable length.
    Noise(String),
}

/// The beginning of `bytes` as one line of text in backquotes.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    let cut = &bytes[..bytes.len().min(EXCERPT)];
    let text = String::from_utf8_lossy(cut).escape_debug().to_string().replace("\\\"", "\"");
    let dots = if cut.len() < bytes.len() { ".." } else { "" };
    format!("`{text}{dots}`")
}

/// The last bytes of a stream.
#[derive(Clone, Debug, Default)]
pub(super) struct Tail(Vec<u8>);

impl Tail {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL_BYTES)..]);
        let surplus = self.0.len().saturating_sub(TAIL_BYTES);
        self.0.drain(..surplus);
    }

    /// The last lines; `None` where there are none.
    pub(super) fn text(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.0);
        let lines: Vec<&str> =
            text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(TAIL_LINES)..];
        (!last.is_empty()).then(|| last.join(" | "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_one_short_line() {
        assert_eq!(excerpt(b"{\"id\": 1}\n"), "`{\"id\": 1}\\n`");
        assert_eq!(excerpt(&[0xff]), "`\u{fffd}`");
        let long = excerpt(&[b'a'; 1000]);
        assert!(long.ends_with("a..`") && long.len() == EXCERPT + 4);
    }

    #[test]
    fn a_tail_keeps_the_last_lines() {
        let mut tail = Tail::default();
        assert_eq!(tail.text(), None);
        for line in 0..10_000 {
            tail.push(format!("line {line}\n\n").as_bytes());
        }
        let expected = "line 9995 | line 9996 | line 9997 | line 9998 | line 9999";
        assert_eq!(tail.text().as_deref(), Some(expected));
        tail.push(&[b'x'; 3 * TAIL_BYTES]);
        assert_eq!(tail.text().map(|text| text.len()), Some(TAIL_BYTES));
    }
}

//! Reads lines of bounded length, and notices when the other end has gone.

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

use super::wire::LONGEST_LINE;

/// Lines of a connection.
pub(super) struct Lines<R>(BufReader<R>);

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Came {
    /// A line, without its end.
    Line(Vec<u8>),
    /// The other end has gone; half a line is none.
    End,
    /// A line that is too long.
    TooLong,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(read: R) -> Self {
        Self(BufReader::new(read))
    }

    /// The next line. A broken connection is an end.
    pub(super) async fn next(&mut self) -> Came {
        let mut line = Vec::new();
        loop {
            let Ok(bytes) = self.0.fill_buf().await else {
                return Came::End;
            };
            if bytes.is_empty() {
                return Came::End;
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let piece = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
            if line.len() + piece.len() > LONGEST_LINE {
                return Came::TooLong;
            }
            line.extend_from_slice(piece);
            let used = piece.len() + usize::from(end.is_some());
            self.0.consume(used);
            if end.is_some() {
                return Came::Line(line);
            }
        }
    }

    /// Returns when the other end has gone; never while it has more to say.
    pub(super) async fn gone(&mut self) {
        match self.0.fill_buf().await {
            Ok(bytes) if !bytes.is_empty() => std::future::pending().await,
            Ok(_) | Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_come_one_by_one_and_half_a_line_is_none() {
        let mut lines = Lines::new(&b"a\n\nbc\nhalf"[..]);
        for line in ["a", "", "bc"] {
            assert_eq!(lines.next().await, Came::Line(line.into()));
        }
        assert_eq!(lines.next().await, Came::End);
    }

    #[tokio::test]
    async fn a_line_may_be_as_long_as_the_bound_and_no_longer() {
        let longest = [vec![b'a'; LONGEST_LINE], vec![b'\n']].concat();
        let mut lines = Lines::new(longest.as_slice());
        assert_eq!(lines.next().await, Came::Line(vec![b'a'; LONGEST_LINE]));
        let too_long = vec![b'a'; LONGEST_LINE + 1];
        assert_eq!(Lines::new(too_long.as_slice()).next().await, Came::TooLong);
    }
}

//! Cuts bytes that arrive cut anywhere into lines.

/// The longest line, in bytes; a whole tool call stands on one.
const LONGEST: usize = 8 << 20;

/// Why there are no lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LineError {
    #[error("a line of more than 8 MiB")]
    TooLong,
    #[error("bytes that are not UTF-8")]
    NotUtf8,
}

/// The lines of one stream; blank ones are not given out.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    line: Vec<u8>,
}

impl Lines {
    /// Takes the next bytes; complete lines are appended to `lines`, also those before an error.
    pub(crate) fn feed(&mut self, bytes: &[u8], lines: &mut Vec<String>) -> Result<(), LineError> {
        for segment in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len() + segment.len() > LONGEST {
                return Err(LineError::TooLong);
            }
            self.line.extend_from_slice(segment);
            if segment.ends_with(b"\n") {
                self.end_line(lines)?;
            }
        }
        Ok(())
    }

    /// The stream has ended: gives the last line if only its line feed is missing.
    pub(crate) fn finish(&mut self, lines: &mut Vec<String>) -> Result<(), LineError> {
        self.end_line(lines)
    }

    fn end_line(&mut self, lines: &mut Vec<String>) -> Result<(), LineError> {
        let line = String::from_utf8(std::mem::take(&mut self.line)).map_err(|_| LineError::NotUtf8)?;
        let line = line.trim();
        if !line.is_empty() {
            lines.push(line.to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<String>, Result<(), LineError>) {
        let (mut reader, mut lines) = (Lines::default(), Vec::new());
        for piece in pieces {
            if let Err(error) = reader.feed(piece, &mut lines) {
                return (lines, Err(error));
            }
        }
        let end = reader.finish(&mut lines);
        (lines, end)
    }

    #[test]
    fn blank_lines_and_carriage_returns_go() {
        let text = "{\"a\":\"ä€😀\"}\r\n\r\n\n  \n{\"b\":1}".as_bytes();
        let expected = ["{\"a\":\"ä€😀\"}", "{\"b\":1}"].map(str::to_owned).to_vec();
        for size in 1..text.len() {
            assert_eq!(
                read(text.chunks(size)),
                (expected.clone(), Ok(())),
                "in pieces of {size}"
            );
        }
    }

    #[test]
    fn long_lines_and_foreign_bytes_are_errors() {
        let long = [b"ok\n".as_slice(), &vec![b'x'; LONGEST + 1]].concat();
        assert_eq!(
            read(long.chunks(4096)),
            (vec!["ok".to_owned()], Err(LineError::TooLong))
        );
        assert_eq!(read([b"\xff\n".as_slice()]).1, Err(LineError::NotUtf8));
        assert_eq!(read([b"\xe2\x82".as_slice()]).1, Err(LineError::NotUtf8));
    }

    proptest! {
        #[test]
        fn lines_survive_any_cut(
            lines in prop::collection::vec("[^\r\n]{0,20}", 0..20),
            ends in prop::collection::vec(prop::sample::select(vec!["\n", "\r\n", "\n\n"]), 20),
            cuts in prop::collection::vec(1_usize..9, 1..40),
            last in any::<bool>(),
        ) {
            let mut text: String = lines.iter().zip(&ends).flat_map(|(line, end)| [line.as_str(), end]).collect();
            if last {
                text.truncate(text.trim_end_matches(['\r', '\n']).len());
            }
            let mut rest = text.as_bytes();
            let mut pieces = Vec::new();
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (piece, after) = rest.split_at((*cut).min(rest.len()));
                pieces.push(piece);
                rest = after;
            }
            let expected: Vec<String> = lines
                .iter()
                .map(|line| line.trim().to_owned())
                .filter(|line| !line.is_empty())
                .collect();
            prop_assert_eq!(read(pieces), (expected, Ok(())));
        }
    }
}

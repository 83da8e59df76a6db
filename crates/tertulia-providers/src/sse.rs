//! Decodes server-sent events from bytes that arrive cut anywhere.
//!
//! Written here because the common crates lack what a provider's client needs: a bound on lines, unknown fields and
//! comments passed over in silence, and a last event that is complete but for its blank line.

/// The longest line, in bytes, and the longest data of one event.
const LONGEST: usize = 1 << 20;

/// One event; comments and events without data are not given out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Event {
    /// The value of `event:`; empty without one.
    pub(crate) name: String,
    /// The data lines, joined by line feeds.
    pub(crate) data: String,
}

/// Why a stream cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SseError {
    #[error("a line of more than 1 MiB")]
    TooLong,
    #[error("bytes that are not UTF-8")]
    NotUtf8,
}

/// The decoder of one stream.
#[derive(Debug, Default)]
pub(crate) struct SseDecoder {
    line: Vec<u8>,
    after_carriage_return: bool,
    begun: bool,
    name: String,
    data: Option<String>,
}

impl SseDecoder {
    /// Takes the next bytes; complete events are appended to `events`, also those before an error.
    pub(crate) fn feed(&mut self, bytes: &[u8], events: &mut Vec<Event>) -> Result<(), SseError> {
        for segment in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            match segment.split_last() {
                // The second half of a CRLF, which may come with the next bytes.
                Some((b'\n', [])) if self.after_carriage_return => self.after_carriage_return = false,
                Some((end @ (b'\n' | b'\r'), rest)) => {
                    self.extend(rest)?;
                    self.after_carriage_return = *end == b'\r';
                    self.end_line(events)?;
                }
                _ => {
                    self.extend(segment)?;
                    self.after_carriage_return = false;
                }
            }
        }
        Ok(())
    }

    /// The stream has ended: gives the last event if only its blank line is missing.
    pub(crate) fn finish(&mut self, events: &mut Vec<Event>) -> Result<(), SseError> {
        self.end_line(events)?;
        self.dispatch(events);
        Ok(())
    }

    fn extend(&mut self, bytes: &[u8]) -> Result<(), SseError> {
        if self.line.len() + bytes.len() > LONGEST {
            return Err(SseError::TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, events: &mut Vec<Event>) -> Result<(), SseError> {
        let bytes = std::mem::take(&mut self.line);
        let line = std::str::from_utf8(&bytes).map_err(|_| SseError::NotUtf8)?;
        let line = if self.begun {
            line
        } else {
            line.strip_prefix('\u{feff}').unwrap_or(line)
        };
        self.begun = true;
        if line.is_empty() {
            self.dispatch(events);
            return Ok(());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => self.add_data(value),
            "event" => {
                value.clone_into(&mut self.name);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn add_data(&mut self, value: &str) -> Result<(), SseError> {
        let data = match &mut self.data {
            Some(data) => {
                data.push('\n');
                data
            }
            none => none.insert(String::new()),
        };
        if data.len() + value.len() > LONGEST {
            return Err(SseError::TooLong);
        }
        data.push_str(value);
        Ok(())
    }

    fn dispatch(&mut self, events: &mut Vec<Event>) {
        let name = std::mem::take(&mut self.name);
        if let Some(data) = self.data.take() {
            events.push(Event { name, data });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8], size: usize) -> (Vec<Event>, Result<(), SseError>) {
        let (mut decoder, mut events) = (SseDecoder::default(), Vec::new());
        for piece in bytes.chunks(size) {
            if let Err(error) = decoder.feed(piece, &mut events) {
                return (events, Err(error));
            }
        }
        let end = decoder.finish(&mut events);
        (events, end)
    }

    #[track_caller]
    fn check(bytes: &[u8], expected: &[(&str, &str)]) {
        let expected: Vec<Event> = expected
            .iter()
            .map(|(name, data)| Event {
                name: (*name).into(),
                data: (*data).into(),
            })
            .collect();
        for size in [1, 2, 3, 7, 4096] {
            assert_eq!(decode(bytes, size), (expected.clone(), Ok(())), "in pieces of {size}");
        }
    }

    #[test]
    fn events_survive_any_cut() {
        check("data: ä€😀\n\ndata:b\n\n".as_bytes(), &[("", "ä€😀"), ("", "b")]);
        check(
            b"event: error\r\ndata: x\r\n\r\ndata: y\r\rdata: z\n\n",
            &[("error", "x"), ("", "y"), ("", "z")],
        );
        check(b"data: a\ndata: b\n\n", &[("", "a\nb")]);
        check("\u{feff}data: a\n\n".as_bytes(), &[("", "a")]);
    }

    #[test]
    fn what_is_no_event_is_passed_over() {
        check(
            b": ping\n\n\n\nretry: 10\nid: 7\nnonsense\ndata: a\n\nevent: empty\n\ndata: b\n\n",
            &[("", "a"), ("", "b")],
        );
    }

    #[test]
    fn the_last_event_needs_no_blank_line() {
        check(b"data: a\n\ndata: [DONE]", &[("", "a"), ("", "[DONE]")]);
        check(b"data: a\n\ndata: [DONE]\n", &[("", "a"), ("", "[DONE]")]);
    }

    #[test]
    fn long_lines_and_foreign_bytes_are_errors() {
        let long = [b"data: ok\n\ndata: ".as_slice(), &vec![b'x'; LONGEST]].concat();
        let (events, end) = decode(&long, 4096);
        assert_eq!((events.len(), end), (1, Err(SseError::TooLong)));
        let many = b"data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n".repeat(LONGEST / 32);
        assert_eq!(decode(&many, 4096).1, Err(SseError::TooLong));
        assert_eq!(decode(b"data: \xff\n", 3).1, Err(SseError::NotUtf8));
    }
}

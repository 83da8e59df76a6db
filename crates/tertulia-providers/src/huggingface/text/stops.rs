//! Cuts an answer at the first of its stops: servers write the stop out, or do not know it.

/// Lets text through until a stop comes; keeps back what could be the beginning of one.
#[derive(Debug)]
pub(crate) struct Stops {
    texts: Vec<String>,
    held: String,
    is_over: bool,
}

impl Stops {
    pub(crate) fn new(stops: Vec<String>) -> Self {
        Self {
            texts: stops,
            held: String::new(),
            is_over: false,
        }
    }

    /// Takes a piece; gives what surely belongs to the answer.
    pub(crate) fn take(&mut self, piece: &str) -> String {
        if self.is_over {
            return String::new();
        }
        self.held.push_str(piece);
        let found = self.texts.iter().filter_map(|stop| self.held.find(stop.as_str())).min();
        if let Some(place) = found {
            self.is_over = true;
            self.held.truncate(place);
            return std::mem::take(&mut self.held);
        }
        let kept = self.texts.iter().map(|stop| begun(&self.held, stop)).max().unwrap_or(0);
        let rest = self.held.split_off(self.held.len() - kept);
        std::mem::replace(&mut self.held, rest)
    }

    /// The end: nothing more can become a stop.
    pub(crate) fn finish(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

/// How many bytes at the end of a text are the beginning of a stop.
fn begun(text: &str, stop: &str) -> usize {
    let ends = stop.char_indices().map(|(place, _)| place).rev();
    ends.filter(|length| *length > 0)
        .find(|length| stop.get(..*length).is_some_and(|head| text.ends_with(head)))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        for size in 1..=text.chars().count() {
            let mut stops = Stops::new(["\n\nHuman:", "ENDE", "ö!"].map(str::to_owned).to_vec());
            let chars: Vec<char> = text.chars().collect();
            let mut said = String::new();
            for piece in chars.chunks(size) {
                said += &stops.take(&piece.iter().collect::<String>());
            }
            said += &stops.finish();
            assert_eq!(said, expected, "by {size}");
        }
    }

    #[test]
    fn answers_end_at_the_first_stop() {
        check("Hello.\n\nHuman: and", "Hello.");
        check("Hello.\n\nHumans\n\nHum", "Hello.\n\nHumans\n\nHum");
        check("\n\n\nHuman: x", "\n");
        check("a ENDE\n\nHuman:", "a ");
        check("hö ENENDE", "hö EN");
        check("schö!n", "sch");
        check("END", "END");
    }

    #[test]
    fn nothing_is_kept_back_that_cannot_be_a_stop() {
        let mut stops = Stops::new(vec!["\n\nHuman:".into()]);
        assert_eq!(stops.take("Hello\n"), "Hello");
        assert_eq!(stops.take("you"), "\nyou");
    }
}

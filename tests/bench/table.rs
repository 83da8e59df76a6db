//! The table of figures.

use std::fmt;

/// Figures with their targets.
#[derive(Debug, Default)]
pub(crate) struct Table(Vec<Row>);

#[derive(Debug)]
struct Row {
    what: String,
    measured: f64,
    unit: &'static str,
    target: Option<Target>,
}

/// What was promised.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    AtMost(f64),
    AtLeast(f64),
}

impl Table {
    /// Notes a figure, and prints it at once: the whole run takes minutes.
    pub(crate) fn add(&mut self, what: impl Into<String>, measured: f64, unit: &'static str, target: Option<Target>) {
        let row = Row {
            what: what.into(),
            measured,
            unit,
            target,
        };
        println!("{}: {:.2} {}", row.what, row.measured, row.unit);
        self.0.push(row);
    }
}

impl Row {
    fn target(&self) -> (String, &'static str) {
        let word = |is_met| if is_met { "yes" } else { "NO" };
        match self.target {
            None => (String::new(), ""),
            Some(Target::AtMost(most)) => (format!("<= {most:.1}"), word(self.measured <= most)),
            Some(Target::AtLeast(least)) => (format!(">= {least:.1}"), word(self.measured >= least)),
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| figure | measured | target | met |\n|---|---:|---:|---|")?;
        for row in &self.0 {
            let (target, met) = row.target();
            writeln!(
                f,
                "| {} | {:.2} {} | {target} | {met} |",
                row.what, row.measured, row.unit
            )?;
        }
        Ok(())
    }
}

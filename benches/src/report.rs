//! What a bench found: a file for programs, a table for people.

use crate::machine;
use crate::measure::Samples;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::path::Path;

/// One figure.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    /// What was measured.
    pub name: String,
    /// The unit of all its numbers.
    pub unit: &'static str,
    /// What Stillpoint took: the median.
    pub ours: f64,
    /// What others took in the same run, by their names.
    pub peers: Map<String, Value>,
    /// Ours against the fastest peer's.
    pub ratio: Option<f64>,
    /// How many samples were taken.
    pub samples: usize,
    /// The median.
    pub p50: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// What it should be at most, where there is an aim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aim: Option<f64>,
    /// Which of the numbers the aim is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aim_for: Option<&'static str>,
    /// Whether the aim was reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub met: Option<bool>,
    /// What takes the figure again.
    pub command: String,
}

/// All figures of one bench.
#[derive(Debug)]
pub struct Report {
    bench: &'static str,
    machine: Value,
    figures: Vec<Figure>,
}

impl Report {
    /// An empty report of `script/bench NAME`.
    pub fn new(bench: &'static str) -> Self {
        Report { bench, machine: machine::machine(), figures: Vec::new() }
    }

    /// Adds times, told in microseconds, with an aim for their median.
    pub fn time(&mut self, name: &str, samples: &Samples, aim_us: Option<f64>) {
        self.times(name, samples, aim_us, "p50");
    }

    /// Adds times, told in microseconds, with an aim for their 99th percentile.
    pub fn time_p99(&mut self, name: &str, samples: &Samples, aim_us: f64) {
        self.times(name, samples, Some(aim_us), "p99");
    }

    fn times(&mut self, name: &str, samples: &Samples, aim: Option<f64>, aim_for: &'static str) {
        let micros = |share: f64| (samples.quantile(share) / 10.0).round() / 100.0;
        let (p50, p99) = (micros(0.5), micros(0.99));
        let judged = if aim_for == "p99" { p99 } else { p50 };
        self.push(name, "µs", samples.len(), (p50, p99), aim.map(|a| (a, aim_for, judged <= a)));
    }

    /// Adds one number that does not vary.
    pub fn number(&mut self, name: &str, unit: &'static str, value: f64, aim: Option<f64>) {
        let value = (value * 10.0).round() / 10.0;
        self.push(name, unit, 1, (value, value), aim.map(|a| (a, "p50", value <= a)));
    }

    /// Puts another's number beside the figure that was added last, in its unit. The ratio is against the fastest.
    pub fn beside(&mut self, peer: &str, value: f64) {
        let Some(figure) = self.figures.last_mut() else { return };
        figure.peers.insert(peer.to_owned(), json!(value));
        let fastest = figure.peers.values().filter_map(Value::as_f64).fold(f64::INFINITY, f64::min);
        figure.ratio = (fastest.is_finite() && fastest > 0.0).then_some(figure.ours / fastest);
    }

    fn push(
        &mut self,
        name: &str,
        unit: &'static str,
        samples: usize,
        (p50, p99): (f64, f64),
        aim: Option<(f64, &'static str, bool)>,
    ) {
        self.figures.push(Figure {
            name: name.to_owned(),
            unit,
            ours: p50,
            peers: Map::new(),
            ratio: None,
            samples,
            p50,
            p99,
            aim: aim.map(|a| a.0),
            aim_for: aim.map(|a| a.1),
            met: aim.map(|a| a.2),
            command: format!("script/bench {}", self.bench),
        });
    }

    /// Writes the file and prints the table.
    pub fn finish(self, file: &Path) -> std::io::Result<()> {
        let told =
            json!({ "machine": self.machine, "versions": machine::versions(), "figures": self.figures });
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(file, format!("{told:#}\n"))?;
        print!("{}", self.table());
        println!("→ {}", file.display());
        Ok(())
    }

    fn table(&self) -> String {
        let rows: Vec<[String; 6]> = self.figures.iter().map(row).collect();
        let titles = ["", "p50", "p99", "unit", "aim", "samples"].map(str::to_owned);
        let width = |column: usize| {
            let cells = rows.iter().chain([&titles]).map(|r| r[column].chars().count());
            cells.max().unwrap_or_default()
        };
        let widths: [usize; 6] = std::array::from_fn(width);
        let line = |row: &[String; 6]| {
            let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| match column {
                0 | 3 | 4 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
            format!("{}\n", cells.collect::<Vec<_>>().join("  "))
        };
        std::iter::once(&titles).chain(&rows).map(line).collect()
    }
}

fn row(figure: &Figure) -> [String; 6] {
    let aim = match (figure.aim, figure.met) {
        (Some(aim), Some(met)) => {
            let of = figure.aim_for.filter(|of| *of != "p50").map_or(String::new(), |of| format!("{of} "));
            format!("{of}≤ {aim} {}", if met { "met" } else { "MISSED" })
        }
        _ => String::new(),
    };
    [
        figure.name.clone(),
        figure.p50.to_string(),
        figure.p99.to_string(),
        figure.unit.to_owned(),
        aim,
        figure.samples.to_string(),
    ]
}

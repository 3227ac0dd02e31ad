//! What in a scene depends on what happened so far: wording with `{…}` in it, conditions, spans of time.

use super::stage::Stage;
use std::collections::BTreeMap;
use std::time::Duration;
use stillpoint_core::tree::{State, StateValue};

/// Text in which `{name}`, `{#id}` or `{#id * 12 :2}` stands for a value of the moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wording(pub(crate) String);

impl From<&str> for Wording {
    fn from(text: &str) -> Self {
        Wording(text.to_owned())
    }
}

/// Where a running handler looks names up: its own variables, then the scene's counters.
pub(crate) struct Scope<'a> {
    pub(crate) stage: &'a Stage,
    pub(crate) names: &'a BTreeMap<String, String>,
}

impl Wording {
    /// The text with every `{…}` filled in.
    pub(crate) fn fill(&self, scope: &Scope<'_>) -> String {
        let mut filled = String::with_capacity(self.0.len());
        let mut rest = self.0.as_str();
        while let Some(open) = rest.find('{') {
            filled.push_str(&rest[..open]);
            let Some(close) = rest[open..].find('}') else { break };
            filled.push_str(&scope.evaluate(&rest[open + 1..open + close]));
            rest = &rest[open + close + 1..];
        }
        filled.push_str(rest);
        filled
    }
}

impl Scope<'_> {
    /// The value of an expression: a name, or sums of products of numbers and names.
    pub(crate) fn evaluate(&self, expression: &str) -> String {
        let (expression, decimals) = match expression.rsplit_once(':') {
            Some((before, digits)) => (before, digits.trim().parse::<usize>().ok()),
            None => (expression, None),
        };
        let words: Vec<&str> = expression.split_whitespace().collect();
        if let ([single], None) = (&words[..], decimals) {
            return self.name(single);
        }
        let sum = self.sum(&words);
        decimals.map_or_else(|| number_text(sum), |d| format!("{sum:.d$}"))
    }

    fn sum(&self, words: &[&str]) -> f64 {
        let mut total = 0.0;
        let (mut sign, mut product, mut divide) = (1.0, 1.0, false);
        for word in words {
            match *word {
                "+" | "-" => {
                    total += sign * product;
                    product = 1.0;
                    sign = if *word == "+" { 1.0 } else { -1.0 };
                }
                "*" => divide = false,
                "/" => divide = true,
                name => {
                    let number = self.name(name).trim().parse::<f64>().unwrap_or(0.0);
                    product = if std::mem::take(&mut divide) { product / number } else { product * number };
                }
            }
        }
        total + sign * product
    }

    fn name(&self, name: &str) -> String {
        if let Some(id) = name.strip_prefix('#') {
            // A secret never becomes part of what the app shows.
            return self.stage.find(id).map(|key| self.stage.shown_content(key)).unwrap_or_default();
        }
        if let Some(value) = self.names.get(name) {
            return value.clone();
        }
        match self.stage.counter(name) {
            Some(number) => number_text(number),
            None => name.to_owned(),
        }
    }
}

/// A number without needless digits.
pub(crate) fn number_text(number: f64) -> String {
    let rounded = (number * 1e6).round() / 1e6;
    // Adding zero turns minus zero into zero.
    format!("{}", rounded + 0.0)
}

/// How long something takes: fixed, or given by an option of the scene.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Span {
    Fixed(Duration),
    Millis(String),
}

impl Span {
    /// `120ms`, `2s` or `{delay}ms`.
    pub(crate) fn parse(word: &str) -> Option<Span> {
        if let Some(name) = word.strip_prefix('{').and_then(|w| w.strip_suffix("}ms")) {
            return Some(Span::Millis(name.trim().to_owned()));
        }
        let (digits, unit) = match word.strip_suffix("ms") {
            Some(digits) => (digits, 1.0),
            None => (word.strip_suffix('s')?, 1000.0),
        };
        let millis = digits.parse::<f64>().ok().filter(|n| n.is_finite() && (0.0..=1e9).contains(n))? * unit;
        Some(Span::Fixed(Duration::from_secs_f64(millis / 1000.0)))
    }

    pub(crate) fn duration(&self, scope: &Scope<'_>) -> Duration {
        match self {
            Span::Fixed(duration) => *duration,
            Span::Millis(name) => {
                // "nan" and "inf" are numbers to the parser, and no time.
                let number = scope.evaluate(name).parse::<f64>().ok().filter(|n| n.is_finite());
                let millis = number.unwrap_or(0.0).clamp(0.0, 1e9);
                Duration::from_secs_f64(millis / 1000.0)
            }
        }
    }
}

/// All of its parts must hold.
#[derive(Clone, Debug)]
pub(crate) struct Condition(pub(crate) Vec<Test>);

/// One part of a condition.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    Exists { id: Wording, wanted: bool },
    State { id: Wording, state: State, wanted: bool },
    Compare { left: Operand, how: Compare, right: Wording },
}

/// What is compared.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    Label(Wording),
    /// Value or text, whichever there is; a secret counts too, since it is only compared.
    Content(Wording),
    Expression(String),
}

/// How two things are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compare {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    More,
    MoreOrEqual,
    Contains,
}

/// The words for comparisons in a scene.
pub(crate) const COMPARISONS: [(&str, Compare); 7] = [
    ("==", Compare::Equal),
    ("!=", Compare::Unequal),
    ("<=", Compare::LessOrEqual),
    (">=", Compare::MoreOrEqual),
    ("<", Compare::Less),
    (">", Compare::More),
    ("contains", Compare::Contains),
];

impl Condition {
    pub(crate) fn holds(&self, scope: &Scope<'_>) -> bool {
        self.0.iter().all(|test| test.holds(scope))
    }
}

impl Test {
    fn holds(&self, scope: &Scope<'_>) -> bool {
        let find = |id: &Wording| scope.stage.find(&id.fill(scope));
        match self {
            Test::Exists { id, wanted } => find(id).is_some() == *wanted,
            Test::State { id, state, wanted } => {
                let is = find(id).and_then(|key| scope.stage.state(key, *state)) == Some(StateValue::On);
                is == *wanted
            }
            Test::Compare { left, how, right } => {
                let left = match left {
                    Operand::Label(id) => find(id).map(|key| scope.stage.label(key)).unwrap_or_default(),
                    Operand::Content(id) => find(id).map(|key| scope.stage.content(key)).unwrap_or_default(),
                    Operand::Expression(expression) => scope.evaluate(expression),
                };
                how.holds(&left, &right.fill(scope))
            }
        }
    }
}

impl Compare {
    fn holds(self, left: &str, right: &str) -> bool {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let order = match (number(left), number(right)) {
            (Some(a), Some(b)) => a.partial_cmp(&b),
            _ => None,
        };
        match self {
            Compare::Equal => order.map_or(left == right, |o| o == Equal),
            Compare::Unequal => order.map_or(left != right, |o| o != Equal),
            Compare::Less => order == Some(Less),
            Compare::LessOrEqual => matches!(order, Some(Less | Equal)),
            Compare::More => order == Some(Greater),
            Compare::MoreOrEqual => matches!(order, Some(Greater | Equal)),
            Compare::Contains => left.contains(right),
        }
    }
}

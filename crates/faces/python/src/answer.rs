//! An answer, told to Python when it is asked for.

use crate::failure::{raised, told};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use stillpoint_engine::verbs;
use stillpoint_engine::verbs::Verdict;

/// What a verb answered.
#[pyclass(frozen, module = "stillpoint._native")]
pub(crate) struct Answer {
    inner: Box<dyn verbs::Answer>,
}

impl From<Box<dyn verbs::Answer>> for Answer {
    fn from(inner: Box<dyn verbs::Answer>) -> Self {
        Answer { inner }
    }
}

#[pymethods]
impl Answer {
    /// As JSON.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.inner.json().map(|value| value.to_string())).map_err(|error| raised(&error))
    }

    /// As compact text.
    fn text(&self, py: Python<'_>) -> String {
        py.detach(|| self.inner.text())
    }

    /// How it went: done, no, unavailable, timeout or cancelled.
    fn verdict(&self) -> &'static str {
        match self.inner.verdict() {
            Verdict::Done => "done",
            Verdict::No => "no",
            Verdict::Unavailable => "unavailable",
            Verdict::Timeout => "timeout",
            Verdict::Cancelled => "cancelled",
        }
    }

    /// What went wrong, as JSON.
    fn error(&self) -> Option<String> {
        self.inner.error().as_ref().map(told)
    }

    /// A picture (PNG) that belongs to it.
    fn picture<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.inner.picture().map(|png| PyBytes::new(py, png))
    }
}

//! The engine's error on its way to Python.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use stillpoint_core::Error;

create_exception!(
    stillpoint._native,
    EngineError,
    PyException,
    "The engine's error as JSON; the package raises one of its own exceptions instead."
);

/// An error as JSON: `{code, message, hint, retryable, details}`.
pub(crate) fn told(error: &Error) -> String {
    // Everything in it is plain data; should it ever not be, the words are still told.
    serde_json::to_string(error).unwrap_or_else(|_| {
        serde_json::json!({ "code": "INTERNAL", "message": error.message, "hint": error.hint, "retryable": false })
            .to_string()
    })
}

/// An error as Python's.
pub(crate) fn raised(error: &Error) -> PyErr {
    EngineError::new_err(told(error))
}

//! The verb table and the error codes as JSON: what the package's methods and exceptions are made from.

use crate::failure::raised;
use pyo3::prelude::*;
use serde_json::{Value, json};
use stillpoint_core::{Code, Error};
use stillpoint_engine::verbs::{VerbSpec, table};

/// Every verb: `[{name, about, read_only, params, answer}]`, the last two as JSON schemas.
#[pyfunction]
pub(crate) fn verbs() -> String {
    let told = |v: &VerbSpec| {
        json!({
            "name": v.name,
            "about": v.about,
            "read_only": v.read_only,
            "params": (v.params)().to_value(),
            "answer": (v.answer)().to_value(),
        })
    };
    Value::Array(table().iter().map(told).collect()).to_string()
}

/// Every error code.
#[pyfunction]
pub(crate) fn codes() -> PyResult<Vec<String>> {
    let schema = schemars::schema_for!(Code).to_value();
    let names = schema["enum"].as_array().map(|names| names.iter().filter_map(Value::as_str));
    match names {
        Some(names) => Ok(names.map(str::to_owned).collect()),
        None => Err(raised(&Error::internal("the codes have no list in their schema"))),
    }
}

//! The contract in machine-readable form.

use serde_json::Value;
use std::sync::OnceLock;

const TEXT: &str = include_str!("openapi.json");

/// The OpenAPI document.
pub fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| serde_json::from_str(TEXT).unwrap_or_default())
}

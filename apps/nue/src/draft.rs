//! Files that appear whole or not at all: room `durable`.

pub(crate) use durable::{Draft, place};

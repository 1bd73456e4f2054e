//! The kinds of nodes, as types: each is compiled on its own.

/// What a node is.
pub(crate) trait Node {
    /// On a principal variation: the window is open.
    const PV: bool;
    /// The root.
    const ROOT: bool;
}

/// The root.
pub(crate) struct Root;
/// A node of the principal variation.
pub(crate) struct Pv;
/// Any other node: the question is only "at least beta, or not?".
pub(crate) struct Cut;

impl Node for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl Node for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl Node for Cut {
    const PV: bool = false;
    const ROOT: bool = false;
}

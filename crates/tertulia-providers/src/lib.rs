//! Language-model providers over HTTP, and the built-in demo.

//! Adapters from the message DSL to what each kind of client understands.

//! Pure data: interface paths, the message DSL, markup, and what comes in and goes out.

//! The traits through which the core's decisions are performed.

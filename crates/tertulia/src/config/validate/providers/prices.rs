//! What the models of a provider cost.

use std::collections::BTreeMap;

use tertulia_core::price::Prices;

use super::section::{ModelSection, PRICES, Section};
use crate::config::error::ConfigError;

/// The prices of those models that have some.
pub(super) fn read(section: &Section<'_>) -> Result<BTreeMap<String, Prices>, ConfigError> {
    let mut prices = BTreeMap::new();
    for model in section.models() {
        if PRICES.iter().any(|key| model.number(key).is_some()) {
            prices.insert(model.name.to_owned(), of(&model)?);
        }
    }
    Ok(prices)
}

/// Half a price would make answers look cheaper than they are.
fn of(model: &ModelSection<'_>) -> Result<Prices, ConfigError> {
    let wanted = |key| {
        model
            .number(key)
            .ok_or_else(|| model.wrong(key, "is missing, and other prices of this model are set"))
    };
    Ok(Prices {
        input: wanted("price_input")?,
        output: wanted("price_output")?,
        cache_read: model.number("price_cache_read"),
        cache_written: model.number("price_cache_written"),
    })
}

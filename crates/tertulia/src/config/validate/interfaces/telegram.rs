//! The keys of a Telegram bot, and the bot that is there by `TELEGRAM_TOKEN` alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use secrecy::{ExposeSecret, SecretString};
use tertulia_message::Secret;
use tertulia_telegram::{AlwaysOn, Config, Error, Stream, Telegram};

use super::super::super::TelegramBot;
use super::super::super::error::{ConfigError, Origin};
use super::super::super::nearest::hint;
use super::super::super::schema::Shape;
use super::super::super::secrets::{self, Known, Place};
use super::super::super::settings::Settings;
use super::{TELEGRAM, check_keys};
use crate::environment::Environment;

/// The name of the bot that is there by its token alone; a section of this name needs no kind.
pub(super) const USUAL_NAME: &str = "telegram_bot";
/// The variable that is enough.
const VARIABLE: &str = "TELEGRAM_TOKEN";
const KEYS: [&str; 8] = [
    "kind",
    "enabled",
    "token_file",
    "token",
    "base_url",
    "stream",
    "always_on",
    "largest_file_mb",
];
const STREAMS: [(&str, Stream); 3] = [("draft", Stream::Draft), ("edit", Stream::Edit), ("off", Stream::Off)];
/// What Telegram's own server lets a bot fetch, in megabytes.
const LARGEST_OFFICIAL: u64 = 20;
/// How one comes by a token.
const ADVICE: &str = "@BotFather gives one in Telegram: /newbot for a new bot, /token for one that is there";

/// True if there is a bot, whatever the configuration says.
pub(super) fn is_found(environment: &Environment) -> bool {
    environment.get(VARIABLE).is_some()
}

/// The bots that were read so far.
pub(super) struct Bots<'a> {
    settings: &'a Settings,
    environment: &'a Environment,
    known: &'a mut Known,
    is_configured: bool,
    /// Where the token of each bot stands, by the number of the bot.
    tokens: BTreeMap<String, String>,
}

impl<'a> Bots<'a> {
    pub(super) fn new(settings: &'a Settings, environment: &'a Environment, known: &'a mut Known) -> Self {
        Self {
            settings,
            environment,
            known,
            is_configured: false,
            tokens: BTreeMap::new(),
        }
    }

    /// A bot with a section of its own; none if it is switched off, which needs no token.
    pub(super) fn read(&mut self, name: &str, is_on: bool) -> Result<Option<TelegramBot>, ConfigError> {
        self.is_configured = true;
        check_keys(self.settings, name, TELEGRAM, &KEYS)?;
        let mut config = self.config(name)?;
        if !is_on {
            return Ok(None);
        }
        let Some((token, place)) = self.token(name)? else {
            let problem = format!("is missing, and so is {VARIABLE}; {ADVICE}");
            return Err(self.settings.wrong(&["interfaces", name, "token_file"], problem));
        };
        config.token = Secret::new(token.expose_secret());
        self.bot(name, config, token, &place).map(Some)
    }

    /// The bot that is there by its token alone, if no section speaks of one, and a sentence about it.
    pub(super) fn found(&mut self) -> Result<Option<(TelegramBot, String)>, ConfigError> {
        if self.is_configured {
            return Ok(None);
        }
        let Some((token, place)) = self.token(USUAL_NAME)? else {
            return Ok(None);
        };
        let sentence = format!("{place} is set: a Telegram bot is the interface {USUAL_NAME}.");
        let config = Config::official(Secret::new(token.expose_secret()));
        let bot = self.bot(USUAL_NAME, config, token, &place)?;
        Ok(Some((bot, sentence)))
    }

    /// Everything but the token, which stays empty.
    fn config(&mut self, name: &str) -> Result<Config, ConfigError> {
        let settings = self.settings;
        let mut config = Config::official(Secret::new(""));
        if let Some(address) = settings.text(&["interfaces", name, "base_url"]) {
            self.known.add_url(address);
            address.clone_into(&mut config.base_url);
        }
        config.stream = stream(settings, name)?;
        config.always_on = always_on(settings, name)?;
        config.largest_file = largest_file(settings, name)?;
        Ok(config)
    }

    /// The token of an interface, and where it stands: as every secret, else in the variable.
    fn token(&self, name: &str) -> Result<Option<(SecretString, String)>, ConfigError> {
        let place = Place {
            section: &["interfaces", name],
            file_key: "token_file",
            key: "token",
            credential: &format!("{name}_token"),
        };
        let own = secrets::read(&place, self.settings, self.environment)?;
        let key = match self.settings.text(&["interfaces", name, place.key]) {
            Some(_) => place.key,
            None => place.file_key,
        };
        let own = own.map(|token| (token, format!("interfaces.{name}.{key}")));
        let of_variable = || Some((self.environment.get(VARIABLE)?.into(), VARIABLE.to_owned()));
        Ok(own.or_else(of_variable))
    }

    fn bot(
        &mut self,
        name: &str,
        config: Config,
        token: SecretString,
        place: &str,
    ) -> Result<TelegramBot, ConfigError> {
        self.known.add(&token);
        let (number, secret) = token.expose_secret().split_once(':').unwrap_or_default();
        self.known.add(&secret.into());
        let number = number.to_owned();
        let base_url = config.base_url.clone();
        let interface = Telegram::new(name, config).map_err(|error| self.wrong(name, place, &error))?;
        if let Some(other) = self.tokens.insert(number, place.to_owned()) {
            let problem = format!("is of the same bot as {other}: each bot can be one interface only");
            return Err(self.about_token(name, place, &problem));
        }
        Ok(TelegramBot {
            interface: Arc::new(interface),
            base_url,
            token,
        })
    }

    fn wrong(&self, name: &str, place: &str, error: &Error) -> ConfigError {
        match error {
            Error::Token => {
                let problem = "is not of the form 123456789:ABC-def_..., digits, a colon, then letters and digits";
                self.about_token(name, place, &format!("{problem}; {ADVICE}"))
            }
            Error::BaseUrl => {
                let problem = "must be an http or https address such as http://127.0.0.1:8081";
                self.settings.wrong(&["interfaces", name, "base_url"], problem)
            }
            Error::Name(_) | Error::Client(_) => self.settings.wrong(&["interfaces", name], error),
        }
    }

    /// An error about a token, by the place where it stands.
    fn about_token(&self, name: &str, place: &str, problem: &str) -> ConfigError {
        match place.rsplit_once('.') {
            Some((_, key)) => {
                let path = ["interfaces", name, key];
                let setting = self.settings.find(&path).filter(|setting| setting.shape == Shape::File);
                let file = setting.zip(self.settings.text(&path));
                let file = file.map(|(setting, file)| setting.origin.base().join(file));
                let file = file.map(|file| format!("names {}, whose token ", file.display()));
                self.settings
                    .wrong(&path, format!("{}{problem}", file.unwrap_or_default()))
            }
            None => ConfigError::new(Origin::Variable(place.to_owned()), format!("the token {problem}")),
        }
    }
}

fn stream(settings: &Settings, name: &str) -> Result<Stream, ConfigError> {
    let key = ["interfaces", name, "stream"];
    let Some(word) = settings.text(&key) else {
        return Ok(Stream::default());
    };
    let found = STREAMS.iter().find(|(known, _)| *known == word);
    found.map(|(_, stream)| *stream).ok_or_else(|| {
        let near = hint(word, STREAMS.map(|(known, _)| known));
        settings.wrong(&key, format!("must be draft, edit or off, not {word:?}{near}"))
    })
}

fn always_on(settings: &Settings, name: &str) -> Result<Vec<AlwaysOn>, ConfigError> {
    let key = ["interfaces", name, "always_on"];
    let read = |text: &String| {
        // as /path shows it, or without the name of the interface, which is clear
        let place = text.strip_prefix(name).and_then(|rest| rest.strip_prefix('/'));
        AlwaysOn::parse(place.unwrap_or(text)).ok_or_else(|| {
            let problem =
                format!("lists {text:?}: groups are listed as -100123, their topics as -100123/45 (see /path)");
            settings.wrong(&key, problem)
        })
    };
    settings.texts(&key).iter().map(read).collect()
}

/// In bytes.
fn largest_file(settings: &Settings, name: &str) -> Result<u64, ConfigError> {
    let key = ["interfaces", name, "largest_file_mb"];
    let megabytes = settings.whole(&key).unwrap_or(LARGEST_OFFICIAL);
    if megabytes > LARGEST_OFFICIAL && settings.text(&["interfaces", name, "base_url"]).is_none() {
        let problem = format!(
            "is more than {LARGEST_OFFICIAL}, and Telegram's own server gives bots no larger file; \
             a Bot API server of your own does: set base_url to it"
        );
        return Err(settings.wrong(&key, problem));
    }
    Ok(megabytes << 20)
}

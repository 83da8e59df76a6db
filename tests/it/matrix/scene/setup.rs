//! What a bot on Matrix is started with.

use tertulia_testkit::synapse::{Account, Settings};

use super::{BOT, Scene, named};

/// A configuration in the making: with a password, `anna` as the admin, and nobody else let in, unless told otherwise.
pub(crate) struct Setup {
    config: String,
    section: String,
    access: String,
    admins: Vec<&'static str>,
    by_token: bool,
    line: Option<String>,
    crash_at: Option<String>,
    pub(super) own_server: Option<Settings>,
}

impl Setup {
    /// With these sections, none of which is `[interfaces.matrix]` or `[access]`.
    pub(crate) fn new(config: &str) -> Self {
        Self {
            config: config.to_owned(),
            section: String::new(),
            access: String::new(),
            admins: vec!["anna"],
            by_token: false,
            line: None,
            crash_at: None,
            own_server: None,
        }
    }

    /// With these lines in the section of the interface.
    pub(crate) fn section(mut self, lines: &str) -> Self {
        lines.clone_into(&mut self.section);
        self
    }

    /// Everybody is let in, and may invite the bot.
    pub(crate) fn open(mut self) -> Self {
        self.access = format!("[access.interfaces]\n{BOT} = \"user\"\n");
        self.section.push_str("invites = \"everybody\"\n");
        self
    }

    /// With these people as admins, by the names that the scene gives them.
    pub(crate) fn admins(mut self, names: &[&'static str]) -> Self {
        self.admins = names.to_vec();
        self
    }

    /// With the token that came with the account in place of its password.
    pub(crate) fn by_token(mut self) -> Self {
        self.by_token = true;
        self
    }

    /// On a server of its own, which may be stopped and frozen.
    pub(crate) fn alone(mut self, settings: Settings) -> Self {
        self.own_server = Some(settings);
        self
    }

    /// The server is reached by this address in place of its own.
    pub(crate) fn through(mut self, url: String) -> Self {
        self.line = Some(url);
        self
    }

    /// Starts the bot. None if Matrix is not installed, which is said.
    pub(crate) async fn start(self) -> Option<Scene> {
        Scene::of(self).await
    }

    /// The token, or the password, from the next start on.
    pub(crate) fn set_by_token(&mut self, by_token: bool) {
        self.by_token = by_token;
    }

    /// The crash point at which every later life ends, until it is set to none.
    pub(crate) fn set_crash(&mut self, point: Option<&str>) {
        self.crash_at = point.map(str::to_owned);
    }

    pub(super) fn environment(&self) -> Vec<(&str, &str)> {
        // nobody else's Ollama answers here
        let mut environment = vec![("OLLAMA_HOST", "127.0.0.1:9")];
        environment.extend(self.crash_at.as_deref().map(|point| ("TERTULIA_CRASH_AT", point)));
        environment
    }

    pub(super) fn secret<'a>(&self, bot: &'a Account) -> &'a str {
        if self.by_token {
            &bot.access_token
        } else {
            &bot.password
        }
    }

    pub(super) fn config(&self, scene: usize, bot: &Account, url: &str) -> String {
        let login = if self.by_token {
            "token_file = \"secret\"\n".to_owned()
        } else {
            format!("user = \"{}\"\npassword_file = \"secret\"\n", bot.user_id)
        };
        let id = |name: &&str| format!("\"{BOT}/@{}:localhost\"", named(name, scene));
        let admins: Vec<String> = self.admins.iter().map(id).collect();
        let url = self.line.as_deref().unwrap_or(url);
        let (config, section, access) = (&self.config, &self.section, &self.access);
        format!(
            "{config}\n[interfaces.{BOT}]\nhomeserver = \"{url}\"\n{login}{section}\n\
             [access]\nadmins = [{}]\n{access}",
            admins.join(", ")
        )
    }
}

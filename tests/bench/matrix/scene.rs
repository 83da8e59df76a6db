//! A server, and a bot on it that lets everybody in.

use anyhow::Result;
use tertulia_testkit::matrix_tools::MatrixTools;
use tertulia_testkit::synapse::{Settings, Synapse};

use super::person::Person;
use crate::daemon::Daemon;
use crate::machine::Place;

pub(super) struct Scene {
    pub(super) server: Synapse,
    pub(super) daemon: Daemon,
    /// The bot's id.
    pub(super) bot: String,
}

impl Scene {
    pub(super) async fn start(tools: &MatrixTools, place: &Place) -> Result<Self> {
        let server = Synapse::start(tools, &Settings::default()).await?;
        let bot = server.account("bot").await?;
        let config = format!(
            "[providers.demo]\n[interfaces.matrix]\nhomeserver = \"{}\"\nuser = \"{}\"\npassword_file = \"password\"\n\
             invites = \"everybody\"\n[access.interfaces]\nmatrix = \"user\"\n[limits]\nqueue = 1000\n\
             [store]\ndirectory = \"state\"\n",
            server.url(),
            bot.user_id
        );
        let mut daemon = Daemon::start_with(&place.folder, Some(&config), &[("password", &bot.password)])?;
        daemon.url().await?;
        Ok(Self {
            server,
            daemon,
            bot: bot.user_id,
        })
    }

    pub(super) async fn person(&self, name: &str) -> Result<Person> {
        Ok(Person::new(self.server.url(), &self.server.account(name).await?))
    }

    /// A room of two, the person's and the bot's.
    pub(super) async fn room(&self, person: &Person) -> Result<String> {
        let room = person.create(&self.bot).await?;
        person.wait_for(&room, &self.bot).await?;
        Ok(room)
    }
}

//! `[server]`.

use std::net::{IpAddr, SocketAddr};

use secrecy::{ExposeSecret, SecretString};

use super::super::ServerSettings;
use super::super::error::ConfigError;
use super::super::secrets::{self, Known, Place};
use super::super::settings::Settings;
use crate::environment::Environment;

/// Shorter tokens can be guessed, in characters.
const SHORTEST_TOKEN: usize = 16;

pub(super) fn read(
    settings: &Settings,
    environment: &Environment,
    known: &mut Known,
) -> Result<ServerSettings, ConfigError> {
    let address = address(settings)?;
    let tokens = tokens(settings, environment)?;
    for token in &tokens {
        known.add(token);
    }
    if tokens.is_empty() && !address.ip().is_loopback() {
        let problem = format!(
            "is {}, where others can reach it, so server.token_file must be set",
            address.ip()
        );
        return Err(settings.wrong(&["server", "bind"], problem));
    }
    let connections = settings.whole(&["server", "max_connections"]).unwrap_or_default();
    Ok(ServerSettings {
        address,
        tokens,
        hosts: hosts(settings)?,
        origins: origins(settings)?,
        connections: usize::try_from(connections).unwrap_or(usize::MAX),
    })
}

fn address(settings: &Settings) -> Result<SocketAddr, ConfigError> {
    let key = ["server", "bind"];
    let bind = settings.text(&key).unwrap_or_default();
    let ip: IpAddr = bind.parse().map_err(|_| {
        settings.wrong(
            &key,
            format!("must be an IP address such as 127.0.0.1 or ::1, not {bind:?}; the port is server.port"),
        )
    })?;
    let port = settings.whole(&["server", "port"]).unwrap_or_default();
    Ok(SocketAddr::new(ip, u16::try_from(port).unwrap_or_default()))
}

/// One token a line.
fn tokens(settings: &Settings, environment: &Environment) -> Result<Vec<SecretString>, ConfigError> {
    let place = Place {
        section: &["server"],
        file_key: "token_file",
        key: "token",
        credential: "server_token",
    };
    let Some(secret) = secrets::read(&place, settings, environment)? else {
        return Ok(Vec::new());
    };
    let lines = secret
        .expose_secret()
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let tokens: Vec<SecretString> = lines.map(SecretString::from).collect();
    if tokens
        .iter()
        .any(|token| token.expose_secret().chars().count() < SHORTEST_TOKEN)
    {
        let given = if settings.find(&["server", "token"]).is_some() {
            "token"
        } else {
            "token_file"
        };
        let problem = format!("gives a token of fewer than {SHORTEST_TOKEN} characters, which can be guessed");
        return Err(settings.wrong(&["server", given], problem));
    }
    Ok(tokens)
}

fn hosts(settings: &Settings) -> Result<Vec<String>, ConfigError> {
    let key = ["server", "hosts"];
    let hosts = settings.texts(&key);
    let is_wrong =
        |host: &&String| host.is_empty() || host.contains(['/', '@', '*']) || host.contains(char::is_whitespace);
    match hosts.iter().find(is_wrong) {
        Some(host) => Err(settings.wrong(&key, format!("must list host names such as chat.example, not {host:?}"))),
        None => Ok(hosts.to_vec()),
    }
}

fn origins(settings: &Settings) -> Result<Vec<String>, ConfigError> {
    let key = ["server", "origins"];
    let origins = settings.texts(&key);
    let is_wrong = |origin: &&String| {
        let host = origin
            .strip_prefix("https://")
            .or_else(|| origin.strip_prefix("http://"));
        host.is_none_or(|host| host.is_empty() || host.contains(['/', '*', '@']))
    };
    match origins.iter().find(is_wrong) {
        Some(origin) => {
            let problem = format!("must list origins such as https://chat.example, not {origin:?}");
            Err(settings.wrong(&key, problem))
        }
        None => Ok(origins.to_vec()),
    }
}

//! Who may use a door, as configured.

use secrecy::SecretString;

/// Who may use a door.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// The bearer tokens; with none the door is open to everybody who can reach it.
    pub tokens: Vec<SecretString>,
    /// Names of this host, beside the loopback ones and the bound address.
    pub hosts: Vec<String>,
    /// Origins of web pages that may use the door, such as `https://chat.example`; none by default.
    pub origins: Vec<String>,
}

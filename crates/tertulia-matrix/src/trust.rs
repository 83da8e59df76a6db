//! Why other people's clients may trust the bot: cross-signing, the recovery key, the backup of the keys.

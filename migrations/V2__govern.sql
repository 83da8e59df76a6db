-- What governing needs: history of older bots, people who were greeted, and ways to find what belongs to a conversation.

-- Lines of older bots stand before all others, by their time; all others stand by their number.
ALTER TABLE entry ADD COLUMN place INTEGER NOT NULL DEFAULT 9223372036854775807;
DROP INDEX entry_window;
CREATE INDEX entry_window ON entry(conversation, epoch, place, id) WHERE live=1;

-- Keys of lines that were imported, also of those that were deleted since: they must not come back.
CREATE TABLE imported(key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- Strangers who were told that the bot is private; for a day.
CREATE TABLE greeted(person TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX greeted_at ON greeted(at); -- the old ones are deleted with every new one

CREATE INDEX inbox_past ON inbox(conversation, id) WHERE state IN('done','dropped'); -- all others are in inbox_open
CREATE INDEX turn_past ON turn(conversation, epoch, trigger) WHERE state='settled'; -- all others are in turn_one
CREATE INDEX slot_dead ON slot(trigger DESC, kind, part) WHERE state='dead';
CREATE INDEX slot_said ON slot(conversation) WHERE kind='say'; -- the only ones that stand elsewhere than their row

-- What names a picture: the few rows that are looked through before one is deleted.
CREATE INDEX entry_picture ON entry(id) WHERE instr(parts, '"sha256":"')>0;
CREATE INDEX inbox_picture ON inbox(id) WHERE instr(body, '"sha256":"')>0;

UPDATE meta SET value='2' WHERE key IN('schema','min_reader');

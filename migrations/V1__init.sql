-- The tables of one daemon. Times are milliseconds since 1970. An applied migration is never edited: its checksum is kept.
-- A query that wants a partial index repeats the index's WHERE word for word; SQLite does not infer it.

CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
-- min_reader: the oldest schema whose programs may still open this database.
INSERT INTO meta(key, value) VALUES ('schema', '1'), ('min_reader', '1'), ('app', 'tertulia');

CREATE TABLE account(
  id INTEGER PRIMARY KEY,
  interface TEXT NOT NULL,
  identity TEXT NOT NULL, -- as the platform says it, not as it is configured: another bot under the same name is another account
  UNIQUE(interface, identity)) STRICT;

CREATE TABLE mark(
  account INTEGER NOT NULL REFERENCES account,
  key TEXT NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY(account, key)) STRICT, WITHOUT ROWID;

-- AUTOINCREMENT: numbers are held in memory by sessions, so that of a merged conversation must not come back.
CREATE TABLE conversation(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  path TEXT NOT NULL UNIQUE,
  interface TEXT NOT NULL,
  target TEXT NOT NULL,
  epoch INTEGER NOT NULL DEFAULT 0,
  blocked TEXT) STRICT;
CREATE INDEX conversation_chat ON conversation(interface, target); -- a chat with its threads and nothing else (no LIKE)

CREATE TABLE inbox(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account INTEGER NOT NULL REFERENCES account,
  ext_id TEXT NOT NULL,
  conversation INTEGER NOT NULL REFERENCES conversation,
  person TEXT NOT NULL,
  kind TEXT NOT NULL CHECK(kind IN('message','command','request')), -- commands never wait behind turns, so queries tell them apart
  body TEXT NOT NULL,
  join_key TEXT,
  reply_token TEXT, -- a secret: emptied 15 minutes after acceptance
  sent_at INTEGER,
  accepted_at INTEGER NOT NULL,
  turn INTEGER REFERENCES turn,
  state TEXT NOT NULL CHECK(state IN('sealed','new','taken','done','dropped')),
  why TEXT CHECK(why IN('stopped','flood','redacted','ignored','no_key')),
  CHECK((state='dropped') = (why IS NOT NULL)),
  UNIQUE(account, ext_id)) STRICT;
CREATE INDEX inbox_open ON inbox(conversation, id) WHERE state IN('sealed','new','taken');
CREATE INDEX inbox_token ON inbox(accepted_at) WHERE reply_token IS NOT NULL; -- finds the few tokens to empty

CREATE TABLE turn(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation INTEGER NOT NULL REFERENCES conversation,
  trigger INTEGER NOT NULL UNIQUE REFERENCES inbox,
  epoch INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  boot TEXT NOT NULL,
  state TEXT NOT NULL CHECK(state IN('running','asking_person','settled')),
  outcome TEXT CHECK(outcome IN('answered','partial','stopped','failed','interrupted','superseded')),
  settings TEXT NOT NULL,
  partial TEXT NOT NULL DEFAULT '',
  began_at INTEGER NOT NULL,
  settled_at INTEGER,
  -- 0, or the number of the conversation it began in before that one was merged into this: then two may be unsettled
  -- side by side, since neither may be lost.
  merged_from INTEGER NOT NULL DEFAULT 0,
  CHECK((state='settled') = (outcome IS NOT NULL))) STRICT;
CREATE UNIQUE INDEX turn_one ON turn(conversation, merged_from) WHERE state<>'settled'; -- one at a time, enforced by the database

-- parts: what a person or the model said. calls: the model's. results: all of a round in one row of role tool, in the
-- order of the calls. provider .. provider_data go back only to the provider that made them.
CREATE TABLE entry(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation INTEGER NOT NULL REFERENCES conversation,
  epoch INTEGER NOT NULL,
  turn INTEGER REFERENCES turn, -- NULL: imported
  attempt INTEGER NOT NULL,
  round INTEGER NOT NULL, -- -1: not of a round of calls
  role TEXT NOT NULL CHECK(role IN('user','assistant','tool')),
  speaker TEXT,
  parts TEXT NOT NULL,
  calls TEXT,
  results TEXT,
  provider TEXT,
  model TEXT,
  provider_data BLOB,
  live INTEGER NOT NULL DEFAULT 0,
  cut INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL) STRICT;
CREATE INDEX entry_window ON entry(conversation, epoch, id) WHERE live=1;
CREATE INDEX entry_turn ON entry(turn); -- checkpoints of a turn must not scan the history

CREATE TABLE tool_run(
  turn INTEGER NOT NULL REFERENCES turn,
  attempt INTEGER NOT NULL,
  round INTEGER NOT NULL,
  call_id TEXT NOT NULL,
  seq INTEGER NOT NULL, -- the place among the calls of its round: results are read back in that order
  name TEXT NOT NULL,
  args TEXT NOT NULL,
  effect TEXT NOT NULL CHECK(effect IN('reads','changes','reaches_out')),
  state TEXT NOT NULL CHECK(state IN('asked','denied','started','done')),
  result TEXT,
  approver TEXT,
  expires_at INTEGER,
  PRIMARY KEY(turn, attempt, round, call_id)) STRICT, WITHOUT ROWID;

-- One platform message. want .. src_to belong to the session, ext_id .. error to the courier.
CREATE TABLE slot(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation INTEGER NOT NULL REFERENCES conversation,
  account INTEGER NOT NULL REFERENCES account,
  trigger INTEGER NOT NULL REFERENCES inbox,
  kind TEXT NOT NULL CHECK(kind IN('answer','notice','command','say')),
  part INTEGER NOT NULL,
  want TEXT NOT NULL CHECK(want IN('shown','gone')),
  want_rev INTEGER NOT NULL,
  body TEXT NOT NULL,
  src_from INTEGER,
  src_to INTEGER,
  ext_id TEXT,
  got_rev INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL CHECK(state IN('idle','sending','unsure','dead')),
  forced INTEGER NOT NULL DEFAULT 0,
  tries INTEGER NOT NULL DEFAULT 0,
  not_before INTEGER,
  expires_at INTEGER NOT NULL,
  error TEXT,
  UNIQUE(trigger, kind, part)) STRICT;
CREATE INDEX slot_due ON slot(account, conversation, trigger, part) WHERE state<>'dead' AND (got_rev<want_rev OR state<>'idle');

-- Pictures: the bytes lie in files named by their hash.
CREATE TABLE media(
  sha256 BLOB PRIMARY KEY,
  mime TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  origin TEXT NOT NULL,
  created_at INTEGER NOT NULL) STRICT;

CREATE TABLE setting(
  scope TEXT NOT NULL, -- '' (everywhere), an interface, a chat's path, a thread's path
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  set_by TEXT NOT NULL,
  set_at INTEGER NOT NULL,
  PRIMARY KEY(scope, key)) STRICT, WITHOUT ROWID;

CREATE TABLE permit(
  subject TEXT PRIMARY KEY,
  level TEXT NOT NULL,
  set_by TEXT NOT NULL,
  set_at INTEGER NOT NULL,
  expires_at INTEGER) STRICT;

-- trigger: 0 or less for a turn of which nothing else is stored, hence no reference. The key makes a repeated report one row.
CREATE TABLE usage(
  id INTEGER PRIMARY KEY,
  trigger INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  round INTEGER NOT NULL,
  person TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  tokens_in INTEGER,
  tokens_out INTEGER,
  at INTEGER NOT NULL,
  UNIQUE(at, person, trigger, attempt, round, provider, model)) STRICT;

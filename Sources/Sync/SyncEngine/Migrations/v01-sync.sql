-- What a device knows of its account's records, beside the entries that they stand for and in the
-- same file, so that one transaction moves both. Whatever shows what an entry holds is sealed under
-- the entry's own protection class.

-- One row: who this device is, and up to where it has come.
CREATE TABLE sync_state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    account BLOB NOT NULL CHECK (length(account) = 16),
    member BLOB NOT NULL CHECK (length(member) = 16),
    -- The current actor, its last sealed counter and the chain after it.
    actor BLOB NOT NULL CHECK (length(actor) = 8),
    counter INTEGER NOT NULL CHECK (counter >= 0),
    chain BLOB NOT NULL CHECK (length(chain) = 32),
    -- The highest hybrid time this device has ever put into a stamp.
    own_time INTEGER NOT NULL CHECK (own_time >= 0),
    -- The store's life that the rest speaks of; the cursor is null before the first page.
    epoch BLOB NOT NULL CHECK (length(epoch) = 16),
    cursor_seq INTEGER CHECK (cursor_seq >= 0),
    cursor_tag BLOB CHECK (length(cursor_tag) = 8),
    -- While everything is pulled again: the seq up to which this device has missed no removal of a
    -- deleted record. Null otherwise, when the cursor says it.
    complete_seq INTEGER CHECK (complete_seq >= 0),
    circle_version INTEGER NOT NULL CHECK (circle_version > 0),
    circle_hash BLOB NOT NULL CHECK (length(circle_hash) = 32),
    -- Why nothing is sent until the user has looked; null while all is well.
    hold TEXT,
    -- Milliseconds since 1970, by this device's clock; null before the first success.
    last_success_ms INTEGER,
    -- Milliseconds since 1970, by the server's clock when it was last heard; null before that.
    server_date_ms INTEGER CHECK (server_date_ms >= 0)
) STRICT;

-- The account's version vector as this device last knew it. It goes back only before a write that
-- the server lost and that this device could not open.
CREATE TABLE sync_vector (
    actor BLOB PRIMARY KEY CHECK (length(actor) = 8),
    counter INTEGER NOT NULL CHECK (counter > 0),
    -- What the server has shown in the present epoch of the store; less after it went back.
    shown INTEGER NOT NULL CHECK (shown BETWEEN 0 AND counter)
) STRICT, WITHOUT ROWID;

-- One row once the server has gone back: how far this device is in comparing what it knows with
-- what the server has, and what it found.
CREATE TABLE reconciliation (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    -- A step's name, see Reconciliation; null once it has ended.
    step TEXT,
    -- Why it began: a name, too.
    reason TEXT NOT NULL,
    -- Not before this time: milliseconds since 1970, by this device's clock, like the others.
    due_ms INTEGER NOT NULL CHECK (due_ms >= 0),
    -- How often it began, each time within an hour of the time before, and when it last did.
    starts INTEGER NOT NULL CHECK (starts > 0),
    start_ms INTEGER NOT NULL CHECK (start_ms >= 0),
    ended_ms INTEGER CHECK (ended_ms >= 0),
    -- How many records were found that the server had lost, had again although they were deleted,
    -- and lacks although nobody is known to have deleted them.
    put_up INTEGER NOT NULL CHECK (put_up >= 0),
    deleted_again INTEGER NOT NULL CHECK (deleted_again >= 0),
    missing INTEGER NOT NULL CHECK (missing >= 0)
) STRICT;

-- The records whose mirror is of the time before the server went back, and which were not compared
-- yet.
CREATE TABLE uncompared (
    record BLOB PRIMARY KEY CHECK (length(record) = 32)
) STRICT, WITHOUT ROWID;

-- Exactly what the server held of a record when this device last heard of it.
CREATE TABLE mirror (
    id INTEGER PRIMARY KEY,
    record BLOB NOT NULL UNIQUE CHECK (length(record) = 32),
    -- The number of a RecordKind.
    kind INTEGER NOT NULL CHECK (kind > 0),
    -- The record's place in the server's order, within the epoch of sync_state.
    seq INTEGER NOT NULL CHECK (seq >= 0),
    -- Canonical list of (dot, SHA-256 of the box, whether it could be opened and is a tombstone),
    -- by dot.
    dots BLOB NOT NULL,
    -- What stands here unsealed is read without a key, so a check tells when it is damaged: the
    -- first 8 bytes of SHA-256 over the canonical record, kind, seq, is_stub and dots.
    dots_check BLOB NOT NULL CHECK (length(dots_check) = 8),
    -- The record is deleted, and its values are forgotten here.
    is_stub INTEGER NOT NULL CHECK (is_stub IN (0, 1)),
    -- Several values are current of which one is shown, and the user has not looked yet.
    has_conflict INTEGER NOT NULL CHECK (has_conflict IN (0, 1)),
    -- The fingerprint of what was in conflict when the user last looked; null before.
    looked_at BLOB CHECK (length(looked_at) = 16),
    -- The number of a ProtectionClass.
    protection INTEGER NOT NULL,
    -- The sealed join of the siblings, and the 16 random bytes of this writing of it.
    state BLOB NOT NULL,
    revision BLOB NOT NULL CHECK (length(revision) = 16)
) STRICT;

CREATE INDEX mirror_stubs ON mirror (seq) WHERE is_stub = 1;

CREATE INDEX mirror_conflicts ON mirror (kind, id) WHERE has_conflict = 1;

-- What the user did and the server has not heard yet: one edit a record, with what it had seen.
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY,
    record BLOB NOT NULL UNIQUE CHECK (length(record) = 32),
    -- The number of a RecordKind.
    kind INTEGER NOT NULL CHECK (kind > 0),
    -- The record that goes in the same batch: a rename has moved this one's entry there, or one
    -- transaction has changed both.
    tied_to BLOB CHECK (length(tied_to) = 32),
    -- Why the edit is not sent until it is changed or its record is pulled again: a reason's name,
    -- see BlockedReason; null while it may be sent.
    blocked TEXT,
    -- It holds what the server lost.
    is_put_up INTEGER NOT NULL DEFAULT 0 CHECK (is_put_up IN (0, 1)),
    -- The number of a ProtectionClass.
    protection INTEGER NOT NULL,
    -- The sealed edit, and the 16 random bytes of this writing of it.
    edit BLOB NOT NULL,
    revision BLOB NOT NULL CHECK (length(revision) = 16)
) STRICT;

CREATE INDEX outbox_put_up ON outbox (id) WHERE is_put_up = 1;

CREATE INDEX outbox_tied_to ON outbox (tied_to) WHERE tied_to IS NOT NULL;

-- The batch on its way, if there is one: sealed once, sent unchanged until it is answered.
CREATE TABLE batch (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    header BLOB NOT NULL,
    signature BLOB NOT NULL CHECK (length(signature) = 64)
) STRICT;

CREATE TABLE batch_record (
    -- The record's place in the batch, from 0.
    id INTEGER PRIMARY KEY,
    record BLOB NOT NULL UNIQUE CHECK (length(record) = 32),
    -- The number of a RecordKind.
    kind INTEGER NOT NULL CHECK (kind > 0),
    -- As in the outbox, should the batch be taken apart.
    tied_to BLOB CHECK (length(tied_to) = 32),
    counter INTEGER NOT NULL CHECK (counter > 0),
    -- Canonical list of the dots it replaces.
    replaced BLOB NOT NULL,
    is_tombstone INTEGER NOT NULL CHECK (is_tombstone IN (0, 1)),
    box BLOB NOT NULL,
    -- The number of a ProtectionClass.
    protection INTEGER NOT NULL,
    -- Sealed: the edit, the stamps it was given, the state before and the state it became.
    work BLOB NOT NULL,
    revision BLOB NOT NULL CHECK (length(revision) = 16)
) STRICT;

-- Siblings that could not be opened, and never in the way. Their dots are in the mirror.
CREATE TABLE sibling_quarantine (
    record BLOB NOT NULL CHECK (length(record) = 32),
    -- The number of a RecordKind.
    kind INTEGER NOT NULL CHECK (kind > 0),
    actor BLOB NOT NULL CHECK (length(actor) = 8),
    counter INTEGER NOT NULL CHECK (counter > 0),
    -- A reason's name, see QuarantineReason.
    reason TEXT NOT NULL,
    -- The user has said that the next edit of the record may replace it.
    is_given_up INTEGER NOT NULL DEFAULT 0 CHECK (is_given_up IN (0, 1)),
    -- The envelope's message, as it came; null when there was no room for it any more.
    envelope BLOB,
    PRIMARY KEY (record, actor, counter)
) STRICT, WITHOUT ROWID;

-- How much is kept is asked before each one that is added.
CREATE INDEX sibling_quarantine_kept ON sibling_quarantine (length(envelope))
    WHERE envelope IS NOT NULL;

-- Records that were pulled and not applied: as they came. The server takes them for received.
CREATE TABLE waiting (
    -- The order in which they are opened.
    id INTEGER PRIMARY KEY,
    record BLOB NOT NULL UNIQUE CHECK (length(record) = 32),
    -- The number of a RecordKind.
    kind INTEGER NOT NULL CHECK (kind > 0),
    -- The record's place in the server's order.
    seq INTEGER NOT NULL CHECK (seq >= 0),
    -- A WireRecord message, with all siblings; empty if the server has removed the record.
    message BLOB NOT NULL,
    -- What it waits for: 0 the unlock, 1 the end of the pull, since it deletes an entry, 2 the
    -- user's answer about all deletions.
    reason INTEGER NOT NULL DEFAULT 0 CHECK (reason IN (0, 1, 2))
) STRICT;

CREATE INDEX waiting_deletions ON waiting (id) WHERE reason > 0;

-- Entries that other devices have deleted within the last day, as they were before: once there are
-- too many, the user may have all of them back.
CREATE TABLE recent_deletion (
    record BLOB PRIMARY KEY CHECK (length(record) = 32),
    -- The number of a RecordKind.
    kind INTEGER NOT NULL CHECK (kind > 0),
    -- Milliseconds since 1970, by this device's clock.
    applied_ms INTEGER NOT NULL CHECK (applied_ms >= 0),
    -- The number of a ProtectionClass.
    protection INTEGER NOT NULL,
    -- The sealed state before the deletion, and the 16 random bytes of this writing of it.
    state BLOB NOT NULL,
    revision BLOB NOT NULL CHECK (length(revision) = 16)
) STRICT, WITHOUT ROWID;

-- The earlier values of deleted items, as edits that make these again: while an item can be
-- restored, its history comes back with it.
CREATE TABLE deleted_history (
    record BLOB PRIMARY KEY CHECK (length(record) = 32),
    -- When it was deleted here: milliseconds since 1970, by this device's clock.
    kept_ms INTEGER NOT NULL CHECK (kept_ms >= 0),
    -- The number of a ProtectionClass.
    protection INTEGER NOT NULL,
    -- The sealed edit, and the 16 random bytes of this writing of it.
    edit BLOB NOT NULL,
    revision BLOB NOT NULL CHECK (length(revision) = 16)
) STRICT, WITHOUT ROWID;

-- Records whose joined state goes up although nobody here edits them: the server holds more
-- siblings of them than it should, and none that says all.
CREATE TABLE rewrite (
    id INTEGER PRIMARY KEY,
    record BLOB NOT NULL UNIQUE CHECK (length(record) = 32),
    -- The number of a RecordKind.
    kind INTEGER NOT NULL CHECK (kind > 0),
    -- Not before this time: milliseconds since 1970, by this device's clock.
    due_ms INTEGER NOT NULL CHECK (due_ms >= 0)
) STRICT;

CREATE INDEX rewrite_due ON rewrite (due_ms);

-- The circle's entries from genesis on, as they were checked: WireSignedEntry messages.
CREATE TABLE circle_entry (
    version INTEGER PRIMARY KEY CHECK (version > 0),
    entry BLOB NOT NULL
) STRICT;

-- What a device needs to know of its account, sealed: key ring, device keys, Account Key, server.
CREATE TABLE account_value (
    name TEXT PRIMARY KEY,
    -- The number of a ProtectionClass.
    protection INTEGER NOT NULL,
    -- The sealed value, and the 16 random bytes of this writing of it.
    value BLOB NOT NULL,
    revision BLOB NOT NULL CHECK (length(revision) = 16)
) STRICT, WITHOUT ROWID;

-- The account that a device left with its items. One row. The mirrors, edits and vector are the
-- account's while there is no sync_state, so that the device can return.
CREATE TABLE departed_account (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    account BLOB NOT NULL CHECK (length(account) = 16),
    -- The store's life that the rest speaks of; null where the device kept nothing but entries.
    epoch BLOB CHECK (length(epoch) = 16),
    -- The highest hybrid time this device has ever put into a stamp.
    own_time INTEGER NOT NULL CHECK (own_time >= 0)
) STRICT;

-- The records with an unsent edit whose entries were there when the device left.
CREATE TABLE departed_entry (
    record BLOB PRIMARY KEY CHECK (length(record) = 32)
) STRICT, WITHOUT ROWID;

-- After a return: the records whose mirror is from before, and which the first download has not
-- brought yet.
CREATE TABLE unconfirmed_mirror (
    record BLOB PRIMARY KEY CHECK (length(record) = 32)
) STRICT, WITHOUT ROWID;

-- What a device without an account knows of its synced items beside their values: what it restored
-- from a backup, and the stamps that a backup of it gave them. It goes up when the device joins an
-- account. The key of the item is sealed too.
CREATE TABLE unsent_item (
    record BLOB PRIMARY KEY CHECK (length(record) = 32),
    protection INTEGER NOT NULL,
    edit BLOB NOT NULL,
    revision BLOB NOT NULL CHECK (length(revision) = 16)
) STRICT, WITHOUT ROWID;

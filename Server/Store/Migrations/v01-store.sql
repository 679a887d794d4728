-- Everything the server keeps. An account's number stands for its id and leads every key.
-- Booleans are 0 or 1; actors are the 64 bits of their id; times are seconds since 1970-01-01 UTC.

-- The store itself, one row.
CREATE TABLE store (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    -- The life that new accounts begin in.
    epoch BLOB NOT NULL CHECK (length(epoch) = 16),
    -- The store's own time: for how many seconds it was served. A clock that is set changes nothing
    -- of it, so nothing is removed too early.
    served_seconds INTEGER NOT NULL DEFAULT 0 CHECK (served_seconds >= 0)
) STRICT;

-- Challenges that have been answered, until they expire.
CREATE TABLE used_nonce (
    nonce BLOB NOT NULL PRIMARY KEY,
    expiry_seconds INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX used_nonce_by_expiry ON used_nonce (expiry_seconds);

CREATE TABLE account (
    -- 22 bits: with a 40-bit seq it makes a record's position.
    number INTEGER PRIMARY KEY CHECK (number BETWEEN 1 AND 4194303),
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    -- As its owner wrote it.
    name TEXT NOT NULL,
    -- The one form of all spellings that count as the same.
    look_up_name TEXT NOT NULL UNIQUE,
    epoch BLOB NOT NULL CHECK (length(epoch) = 16),
    -- Of the newest accepted write.
    seq INTEGER NOT NULL DEFAULT 0 CHECK (seq BETWEEN 0 AND 1099511627775),
    -- Of all deleted records, those up to this seq were removed; an older cursor may have missed
    -- one of them, and its tag is not kept.
    removal_horizon INTEGER NOT NULL DEFAULT 0 CHECK (removal_horizon BETWEEN 0 AND seq),
    record_count INTEGER NOT NULL DEFAULT 0 CHECK (record_count >= 0),
    -- Of all siblings, as they count against the quota.
    stored_bytes INTEGER NOT NULL DEFAULT 0 CHECK (stored_bytes >= 0),
    -- Of all entries of the circle, which count against the quota too.
    circle_bytes INTEGER NOT NULL DEFAULT 0 CHECK (circle_bytes >= 0),
    -- Of the circle's newest entry.
    circle_version INTEGER NOT NULL CHECK (circle_version > 0),
    generation INTEGER NOT NULL CHECK (generation >= 0),
    credentials_box BLOB NOT NULL,
    -- By the store's own time.
    created_seconds INTEGER NOT NULL,
    -- In bytes; NULL for that of the server.
    quota_bytes INTEGER CHECK (quota_bytes > 0),
    is_suspended INTEGER NOT NULL DEFAULT 0 CHECK (is_suspended IN (0, 1))
) STRICT;

-- The circle's chain.
CREATE TABLE circle_entry (
    account INTEGER NOT NULL,
    version INTEGER NOT NULL,
    -- Signed bytes, signatures and possession, canonically encoded.
    entry BLOB NOT NULL,
    PRIMARY KEY (account, version)
) STRICT, WITHOUT ROWID;

-- The key ring of the newest entry, sealed to each member.
CREATE TABLE key_envelope (
    account INTEGER NOT NULL,
    member BLOB NOT NULL CHECK (length(member) = 16),
    sealed BLOB NOT NULL,
    PRIMARY KEY (account, member)
) STRICT, WITHOUT ROWID;

-- The key ring of each generation, sealed to the credentials and the recovery keys by the entry
-- that began it. A login needs an earlier one if a member has stored false envelopes since.
CREATE TABLE generation_envelope (
    account INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    member BLOB NOT NULL CHECK (length(member) = 16),
    -- Of the entry that the envelope belongs to.
    version INTEGER NOT NULL,
    sealed BLOB NOT NULL,
    PRIMARY KEY (account, generation, member)
) STRICT, WITHOUT ROWID;

-- The members of the newest entry.
CREATE TABLE member (
    account INTEGER NOT NULL,
    id BLOB NOT NULL CHECK (length(id) = 16),
    -- 1 device, 2 credentials, 3 recovery.
    kind INTEGER NOT NULL,
    -- Up to which seq it has durably applied, in the account's present epoch.
    applied_seq INTEGER NOT NULL DEFAULT 0,
    -- By the store's own time.
    last_contact_seconds INTEGER NOT NULL,
    -- Silent for so long that it holds no removal back.
    is_dormant INTEGER NOT NULL DEFAULT 0 CHECK (is_dormant IN (0, 1)),
    PRIMARY KEY (account, id)
) STRICT, WITHOUT ROWID;

-- The account vector, and who may go on writing.
CREATE TABLE actor (
    account INTEGER NOT NULL,
    id INTEGER NOT NULL,
    member BLOB NOT NULL CHECK (length(member) = 16),
    -- The highest accepted counter.
    accepted INTEGER NOT NULL CHECK (accepted > 0),
    chain BLOB NOT NULL CHECK (length(chain) = 32),
    -- It never writes again.
    is_closed INTEGER NOT NULL DEFAULT 0 CHECK (is_closed IN (0, 1)),
    PRIMARY KEY (account, id)
) STRICT, WITHOUT ROWID;

-- The last batches of each actor, and the answer that every retry gets.
CREATE TABLE accepted_batch (
    account INTEGER NOT NULL,
    actor INTEGER NOT NULL,
    first_counter INTEGER NOT NULL,
    record_count INTEGER NOT NULL CHECK (record_count > 0),
    chain BLOB NOT NULL CHECK (length(chain) = 32),
    -- The answer: its writes have consecutive seqs.
    epoch BLOB NOT NULL CHECK (length(epoch) = 16),
    first_seq INTEGER NOT NULL,
    tag BLOB NOT NULL CHECK (length(tag) = 8),
    circle_version INTEGER NOT NULL,
    -- The dots of those records that held more than the write itself, canonically encoded.
    dots BLOB NOT NULL,
    PRIMARY KEY (account, actor, first_counter)
) STRICT, WITHOUT ROWID;

-- 8 random bytes of each accepted batch: the tag of its last seq and of all before it back to the
-- batch before. A cursor with another tag was given in another history. From the account's removal
-- horizon on.
CREATE TABLE commit_tag (
    account INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    tag BLOB NOT NULL CHECK (length(tag) = 8),
    -- By the store's own time.
    written_seconds INTEGER NOT NULL,
    PRIMARY KEY (account, seq)
) STRICT, WITHOUT ROWID;

-- The records, clustered in the order in which they are pulled.
CREATE TABLE record (
    -- Account number × 2^40 + the record's latest seq.
    position INTEGER PRIMARY KEY,
    account INTEGER NOT NULL CHECK (account = position >> 40),
    id BLOB NOT NULL CHECK (length(id) = 32),
    -- All siblings are tombstones.
    is_deleted INTEGER NOT NULL CHECK (is_deleted IN (0, 1)),
    -- Of each sibling everything but the box, canonically encoded, by dot.
    siblings BLOB NOT NULL,
    -- Their boxes, one after the other.
    boxes BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX record_by_id ON record (account, id);
CREATE INDEX record_deleted ON record (account, position) WHERE is_deleted = 1;

-- 'KySt'
PRAGMA application_id = 1266242420;

-- Everything the servers of one database keep. Each table's key leads with the account, so that
-- the accounts can be spread over several machines; the six tables that belong to no account come
-- first. Actors are the 64 bits of their id; times are seconds since 1970-01-01 UTC.

-- The store itself, one row.
CREATE TABLE server (
    number bigint PRIMARY KEY CHECK (number = 1),
    -- The life that new accounts begin in.
    epoch uuid NOT NULL,
    -- The store's own time: for how many seconds it was served. A clock that is set changes nothing
    -- of it, so nothing is removed too early.
    served_seconds bigint NOT NULL DEFAULT 0 CHECK (served_seconds >= 0),
    -- A copy into this database has begun and not ended: no server accepts it.
    is_copy boolean NOT NULL DEFAULT false
);

-- What authenticates tokens and challenges, one row; it belongs in no backup.
CREATE TABLE server_secret (
    number bigint PRIMARY KEY CHECK (number = 1),
    secret bytea NOT NULL
);

-- Each server, and how often it has announced changes: what the others look at now and then in case
-- an announcement is lost. Its time says to a copy that the server runs.
CREATE TABLE node (
    node uuid PRIMARY KEY,
    announcements bigint NOT NULL,
    -- By the database's clock, at most 10 seconds old while the server runs; rows of servers that
    -- are gone are removed.
    announced_at timestamptz NOT NULL
);

-- Challenges that have been answered, until they expire.
CREATE TABLE used_nonce (
    nonce bytea PRIMARY KEY,
    expiry_seconds bigint NOT NULL,
    -- Random for each call, so that a call can be repeated when its answer was lost.
    used_by uuid NOT NULL
);
CREATE INDEX used_nonce_by_expiry ON used_nonce (expiry_seconds);

-- Codes with which one account can be made.
CREATE TABLE invitation (
    -- SHA-256 of the code.
    code_hash bytea PRIMARY KEY,
    -- Random for each sign-up; null while the code is valid.
    used_by uuid
);

-- The one form of all spellings of a name that count as the same, and whose it is.
CREATE TABLE account_name (
    look_up_name text PRIMARY KEY,
    account uuid NOT NULL
);

CREATE TABLE account (
    account uuid PRIMARY KEY,
    -- As its owner wrote it.
    name text NOT NULL,
    look_up_name text NOT NULL,
    epoch uuid NOT NULL,
    -- Of the newest accepted write.
    seq bigint NOT NULL DEFAULT 0 CHECK (seq >= 0),
    -- Of all deleted records, those up to this seq were removed; an older cursor may have missed
    -- one of them, and its tag is not kept.
    removal_horizon bigint NOT NULL DEFAULT 0 CHECK (removal_horizon BETWEEN 0 AND seq),
    record_count bigint NOT NULL DEFAULT 0 CHECK (record_count >= 0),
    -- Of all siblings, as they count against the quota.
    stored_bytes bigint NOT NULL DEFAULT 0 CHECK (stored_bytes >= 0),
    -- Of all entries of the circle, which count against the quota too.
    circle_bytes bigint NOT NULL DEFAULT 0 CHECK (circle_bytes >= 0),
    -- Of the circle's newest entry.
    circle_version bigint NOT NULL CHECK (circle_version > 0),
    generation bigint NOT NULL CHECK (generation >= 0),
    credentials_box bytea NOT NULL,
    -- By the store's own time.
    created_seconds bigint NOT NULL,
    -- In bytes; null for that of the server.
    quota_bytes bigint CHECK (quota_bytes > 0),
    is_suspended boolean NOT NULL DEFAULT false
    -- Each push updates its account's row: room in the page keeps the row there.
) WITH (fillfactor = 50);

-- The circle's chain.
CREATE TABLE circle_entry (
    account uuid NOT NULL,
    version bigint NOT NULL,
    -- Signed bytes, signatures and possession, canonically encoded.
    entry bytea NOT NULL,
    PRIMARY KEY (account, version)
);

-- The key ring of the newest entry, sealed to each member.
CREATE TABLE key_envelope (
    account uuid NOT NULL,
    member uuid NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (account, member)
);

-- The key ring of each generation, sealed to the credentials and the recovery keys by the entry
-- that began it. A login needs an earlier one if a member has stored false envelopes since.
CREATE TABLE generation_envelope (
    account uuid NOT NULL,
    generation bigint NOT NULL,
    member uuid NOT NULL,
    -- Of the entry that the envelope belongs to.
    version bigint NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (account, generation, member)
);

-- The members of the newest entry.
CREATE TABLE member (
    account uuid NOT NULL,
    id uuid NOT NULL,
    -- 1 device, 2 credentials, 3 recovery.
    kind bigint NOT NULL,
    -- The account's: a late contact of an earlier epoch changes nothing.
    epoch uuid NOT NULL,
    -- Up to which seq it has durably applied, in this epoch.
    applied_seq bigint NOT NULL DEFAULT 0,
    -- By the store's own time.
    last_contact_seconds bigint NOT NULL,
    -- Silent for so long that it holds no removal back.
    is_dormant boolean NOT NULL DEFAULT false,
    PRIMARY KEY (account, id)
) WITH (fillfactor = 70);

-- The account vector, and who may go on writing.
CREATE TABLE actor (
    account uuid NOT NULL,
    id bigint NOT NULL,
    member uuid NOT NULL,
    -- The highest accepted counter.
    accepted bigint NOT NULL CHECK (accepted > 0),
    chain bytea NOT NULL CHECK (octet_length(chain) = 32),
    -- It never writes again.
    is_closed boolean NOT NULL DEFAULT false,
    PRIMARY KEY (account, id)
) WITH (fillfactor = 70);

-- The last batches of each actor, and the answer that every retry gets.
CREATE TABLE accepted_batch (
    account uuid NOT NULL,
    actor bigint NOT NULL,
    first_counter bigint NOT NULL,
    record_count bigint NOT NULL CHECK (record_count > 0),
    chain bytea NOT NULL CHECK (octet_length(chain) = 32),
    -- The answer: its writes have consecutive seqs.
    epoch uuid NOT NULL,
    first_seq bigint NOT NULL,
    tag bytea NOT NULL CHECK (octet_length(tag) = 8),
    circle_version bigint NOT NULL,
    -- The dots of those records that held more than the write itself, canonically encoded.
    dots bytea NOT NULL,
    PRIMARY KEY (account, actor, first_counter)
);

-- 8 random bytes of each accepted batch: the tag of its last seq and of all before it back to the
-- batch before. A cursor with another tag was given in another history. From the account's removal
-- horizon on.
CREATE TABLE commit_tag (
    account uuid NOT NULL,
    seq bigint NOT NULL,
    tag bytea NOT NULL CHECK (octet_length(tag) = 8),
    -- By the store's own time.
    written_seconds bigint NOT NULL,
    PRIMARY KEY (account, seq)
);

CREATE TABLE record (
    account uuid NOT NULL,
    id bytea NOT NULL CHECK (octet_length(id) = 32),
    -- Of the latest write; records are pulled in this order.
    seq bigint NOT NULL,
    -- All siblings are tombstones.
    is_deleted boolean NOT NULL,
    -- Of each sibling everything but the box, canonically encoded, by dot.
    siblings bytea NOT NULL,
    -- Their boxes, one after the other.
    boxes bytea NOT NULL,
    PRIMARY KEY (account, id)
);
CREATE UNIQUE INDEX record_by_seq ON record (account, seq);
CREATE INDEX record_deleted ON record (account, seq) WHERE is_deleted;
-- Sealed bytes do not compress.
ALTER TABLE record ALTER COLUMN boxes SET STORAGE EXTERNAL;

-- The items of the keychain.
--
-- A thief of this file learns how many items there are, their class, protection class and sizes
-- (in steps), and which values are equal; no names, no secrets. An attribute has a search column of
-- 16 bytes of HMAC-SHA-256 under the key of that table and column; its value is in a sealed half.

{each class}
-- {title}
CREATE TABLE {class} (
    -- The order in which items were added on this device; the table is clustered by it.
    id INTEGER PRIMARY KEY,
    -- 16 random bytes that name the row for life, inside the seals too.
    row BLOB NOT NULL CHECK (length(row) = 16),
    -- 16 random bytes by which programs refer to the item; stable across edits.
    persistentReference BLOB NOT NULL UNIQUE CHECK (length(persistentReference) = 16),
    -- The protection class, by its letters: which key opens the halves.
    pdmn TEXT NOT NULL CHECK (pdmn IN ('ak', 'ck', 'dk', 'aku', 'cku', 'dku', 'akpu')),
    -- Whether the item is synchronizable.
    sync INTEGER NOT NULL CHECK (sync IN (0, 1)),
    -- Whether the row only says that an item was deleted.
    tomb INTEGER NOT NULL CHECK (tomb IN (0, 1)),
    -- 16 random bytes, new with each write: halves of two writes do not fit together.
    revision BLOB NOT NULL CHECK (length(revision) = 16),
    -- The digest of everything that makes two items the same.
    primaryKey BLOB NOT NULL UNIQUE CHECK (length(primaryKey) = 16),
    -- The sealed attributes, and the sealed secret: opened separately.
    attributes BLOB NOT NULL,
    secret BLOB NOT NULL,
    -- The sealed extras that are as secret, or large; null without any.
    extras BLOB,
    -- Search columns, named as the attributes. Those of the key are never null. Dates are digests
    -- too, so only an exact time is found.
{columns}
) STRICT;

-- Which rows only say that an item was deleted.
CREATE INDEX {class}Tombs ON {class} (sync) WHERE tomb = 1;

{end}
-- How programs look for a generic password: by service and account, or by service alone.
CREATE INDEX genpByService ON genp (svce, acct);

-- How programs look for an internet password: by server and account, or by server alone.
CREATE INDEX inetByServer ON inet (srvr, acct);

-- How programs look for a certificate: by its public key, as a search for an identity does, or by
-- its issuer.
CREATE INDEX certByPublicKey ON cert (pkhh);
CREATE INDEX certByIssuer ON cert (issr, slnr);

-- How programs look for a key: by the hash of its public half, or by their own tag.
CREATE INDEX keysByLabel ON keys (klbl);
CREATE INDEX keysByTag ON keys (atag);

-- The search columns of rows of the two Always classes a second time, under keys that are there
-- before the first unlock: only those rows can be found then.
CREATE TABLE always_digest (
    -- The 16 random bytes that name the row for life.
    row BLOB NOT NULL CHECK (length(row) = 16),
    -- The row's table.
    origin TEXT NOT NULL,
    -- The name of a search column there.
    attribute TEXT NOT NULL,
    -- 16 bytes of HMAC-SHA-256 under the key of that table and column.
    digest BLOB NOT NULL CHECK (length(digest) = 16),
    PRIMARY KEY (row, attribute)
) STRICT, WITHOUT ROWID;

-- How a search finds them: by a column's digest.
CREATE INDEX always_digest_search ON always_digest (origin, attribute, digest);

-- Rows that could not be opened when another item took their key: kept unchanged, for "doctor".
CREATE TABLE quarantine (
    id INTEGER PRIMARY KEY,
    -- Which table the row came from, and its columns there.
    origin TEXT NOT NULL,
    row BLOB NOT NULL CHECK (length(row) = 16),
    persistentReference BLOB NOT NULL CHECK (length(persistentReference) = 16),
    pdmn TEXT NOT NULL,
    sync INTEGER NOT NULL,
    tomb INTEGER NOT NULL,
    agrp BLOB NOT NULL,
    revision BLOB NOT NULL CHECK (length(revision) = 16),
    attributes BLOB NOT NULL,
    secret BLOB NOT NULL,
    extras BLOB,
    -- Seconds since 2001-01-01 00:00 UTC: when it was quarantined.
    quarantinedSeconds REAL NOT NULL
) STRICT;

-- Items that were deleted in the last 30 days, so that they can be restored: each row as it was, or
-- sealed again with the name of the device that deleted it.
CREATE TABLE deleted_item (
    id INTEGER PRIMARY KEY,
    -- Which table the row came from, and its columns there.
    origin TEXT NOT NULL,
    row BLOB NOT NULL CHECK (length(row) = 16),
    persistentReference BLOB NOT NULL CHECK (length(persistentReference) = 16),
    pdmn TEXT NOT NULL,
    sync INTEGER NOT NULL,
    tomb INTEGER NOT NULL,
    agrp BLOB NOT NULL,
    revision BLOB NOT NULL UNIQUE CHECK (length(revision) = 16),
    primaryKey BLOB NOT NULL CHECK (length(primaryKey) = 16),
    attributes BLOB NOT NULL,
    secret BLOB NOT NULL,
    extras BLOB,
    -- Seconds since 2001-01-01 00:00 UTC, by the clock of the device that deleted it.
    deletedSeconds REAL NOT NULL,
    -- The same by this device's clock, when it deleted the item or heard of it.
    keptSeconds REAL NOT NULL
) STRICT;

-- Which deleted items had a key, and which are too old.
CREATE INDEX deleted_item_by_key ON deleted_item (primaryKey, origin);
CREATE INDEX deleted_item_by_age ON deleted_item (keptSeconds);

-- The items of the keychain.
--
-- A thief of this file learns how many items there are, their class, protection class and sizes
-- (in steps), and which values are equal; no names, no secrets. An attribute has a search column of
-- 16 bytes of HMAC-SHA-256 under the key of that table and column; its value is in a sealed half.

-- Generic passwords.
CREATE TABLE genp (
    -- The order in which items were added, here alone: what the table is clustered by.
    id INTEGER PRIMARY KEY,
    -- 16 random bytes that name the row for life, inside the seals too.
    row BLOB NOT NULL CHECK (length(row) = 16),
    -- 16 random bytes by which programs may keep hold of the item; stable across edits.
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
    -- Search columns, named as the attributes. Those of the key always hold something.
    "acct" BLOB NOT NULL CHECK (length("acct") = 16),
    "agrp" BLOB NOT NULL CHECK (length("agrp") = 16),
    "ggrp" BLOB NOT NULL CHECK (length("ggrp") = 16),
    "musr" BLOB NOT NULL CHECK (length("musr") = 16),
    "svce" BLOB NOT NULL CHECK (length("svce") = 16),
    "tkid" BLOB NOT NULL CHECK (length("tkid") = 16),
    "vwht" BLOB NOT NULL CHECK (length("vwht") = 16),
    -- cdat and mdat are digests too: a time is found when it is known exactly.
    "alis" BLOB CHECK (length("alis") = 16),
    "cdat" BLOB CHECK (length("cdat") = 16),
    "crtr" BLOB CHECK (length("crtr") = 16),
    "cusi" BLOB CHECK (length("cusi") = 16),
    "desc" BLOB CHECK (length("desc") = 16),
    "gena" BLOB CHECK (length("gena") = 16),
    "icmt" BLOB CHECK (length("icmt") = 16),
    "invi" BLOB CHECK (length("invi") = 16),
    "labl" BLOB CHECK (length("labl") = 16),
    "mdat" BLOB CHECK (length("mdat") = 16),
    "nega" BLOB CHECK (length("nega") = 16),
    "prot" BLOB CHECK (length("prot") = 16),
    "scrp" BLOB CHECK (length("scrp") = 16),
    "type" BLOB CHECK (length("type") = 16)
) STRICT;

-- How programs look for a generic password: by service and account, or by service alone.
CREATE INDEX genpByService ON genp (svce, acct);

-- Internet passwords.
CREATE TABLE inet (
    -- The order in which items were added, here alone: what the table is clustered by.
    id INTEGER PRIMARY KEY,
    -- 16 random bytes that name the row for life, inside the seals too.
    row BLOB NOT NULL CHECK (length(row) = 16),
    -- 16 random bytes by which programs may keep hold of the item; stable across edits.
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
    -- Search columns, as above.
    "acct" BLOB NOT NULL CHECK (length("acct") = 16),
    "agrp" BLOB NOT NULL CHECK (length("agrp") = 16),
    "atyp" BLOB NOT NULL CHECK (length("atyp") = 16),
    "ggrp" BLOB NOT NULL CHECK (length("ggrp") = 16),
    "musr" BLOB NOT NULL CHECK (length("musr") = 16),
    "path" BLOB NOT NULL CHECK (length("path") = 16),
    "port" BLOB NOT NULL CHECK (length("port") = 16),
    "ptcl" BLOB NOT NULL CHECK (length("ptcl") = 16),
    "sdmn" BLOB NOT NULL CHECK (length("sdmn") = 16),
    "srvr" BLOB NOT NULL CHECK (length("srvr") = 16),
    "tkid" BLOB NOT NULL CHECK (length("tkid") = 16),
    "vwht" BLOB NOT NULL CHECK (length("vwht") = 16),
    "alis" BLOB CHECK (length("alis") = 16),
    "cdat" BLOB CHECK (length("cdat") = 16),
    "crtr" BLOB CHECK (length("crtr") = 16),
    "cusi" BLOB CHECK (length("cusi") = 16),
    "desc" BLOB CHECK (length("desc") = 16),
    "icmt" BLOB CHECK (length("icmt") = 16),
    "invi" BLOB CHECK (length("invi") = 16),
    "labl" BLOB CHECK (length("labl") = 16),
    "mdat" BLOB CHECK (length("mdat") = 16),
    "nega" BLOB CHECK (length("nega") = 16),
    "prot" BLOB CHECK (length("prot") = 16),
    "scrp" BLOB CHECK (length("scrp") = 16),
    "type" BLOB CHECK (length("type") = 16)
) STRICT;

-- How programs look for an internet password: by server and account, or by server alone.
CREATE INDEX inetByServer ON inet (srvr, acct);

-- Rows that could not be opened when another item took their key: kept as they were, for "doctor".
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
    -- Seconds since 2001-01-01 00:00 UTC: when it was set aside.
    quarantinedSeconds REAL NOT NULL
) STRICT;

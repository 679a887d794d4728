-- Certificates and keys, and attributes that passwords lacked.
--
-- A thief of this file learns of them what v01 says of passwords: how many, how large, which equal.

-- Certificates.
CREATE TABLE cert (
    -- As in the tables of passwords: see v01.
    id INTEGER PRIMARY KEY,
    row BLOB NOT NULL CHECK (length(row) = 16),
    persistentReference BLOB NOT NULL UNIQUE CHECK (length(persistentReference) = 16),
    pdmn TEXT NOT NULL CHECK (pdmn IN ('ak', 'ck', 'dk', 'aku', 'cku', 'dku', 'akpu')),
    sync INTEGER NOT NULL CHECK (sync IN (0, 1)),
    tomb INTEGER NOT NULL CHECK (tomb IN (0, 1)),
    revision BLOB NOT NULL CHECK (length(revision) = 16),
    primaryKey BLOB NOT NULL UNIQUE CHECK (length(primaryKey) = 16),
    attributes BLOB NOT NULL,
    secret BLOB NOT NULL,
    -- Search columns, named as the attributes. Those of the key always hold something.
    "agrp" BLOB NOT NULL CHECK (length("agrp") = 16),
    "ctyp" BLOB NOT NULL CHECK (length("ctyp") = 16),
    "ggrp" BLOB NOT NULL CHECK (length("ggrp") = 16),
    "issr" BLOB NOT NULL CHECK (length("issr") = 16),
    "musr" BLOB NOT NULL CHECK (length("musr") = 16),
    "slnr" BLOB NOT NULL CHECK (length("slnr") = 16),
    "tkid" BLOB NOT NULL CHECK (length("tkid") = 16),
    "vwht" BLOB NOT NULL CHECK (length("vwht") = 16),
    "cdat" BLOB CHECK (length("cdat") = 16),
    "cenc" BLOB CHECK (length("cenc") = 16),
    "labl" BLOB CHECK (length("labl") = 16),
    "mdat" BLOB CHECK (length("mdat") = 16),
    "pcsi" BLOB CHECK (length("pcsi") = 16),
    "pcsk" BLOB CHECK (length("pcsk") = 16),
    "pcss" BLOB CHECK (length("pcss") = 16),
    "pkhh" BLOB CHECK (length("pkhh") = 16),
    "sha1" BLOB CHECK (length("sha1") = 16),
    "skid" BLOB CHECK (length("skid") = 16),
    "subj" BLOB CHECK (length("subj") = 16),
    "sysb" BLOB CHECK (length("sysb") = 16)
) STRICT;

-- How programs look for a certificate: by its public key, as an identity is put together, or by
-- its issuer.
CREATE INDEX certByPublicKey ON cert (pkhh);
CREATE INDEX certByIssuer ON cert (issr, slnr);

-- Keys.
CREATE TABLE keys (
    -- As in the tables of passwords: see v01.
    id INTEGER PRIMARY KEY,
    row BLOB NOT NULL CHECK (length(row) = 16),
    persistentReference BLOB NOT NULL UNIQUE CHECK (length(persistentReference) = 16),
    pdmn TEXT NOT NULL CHECK (pdmn IN ('ak', 'ck', 'dk', 'aku', 'cku', 'dku', 'akpu')),
    sync INTEGER NOT NULL CHECK (sync IN (0, 1)),
    tomb INTEGER NOT NULL CHECK (tomb IN (0, 1)),
    revision BLOB NOT NULL CHECK (length(revision) = 16),
    primaryKey BLOB NOT NULL UNIQUE CHECK (length(primaryKey) = 16),
    attributes BLOB NOT NULL,
    secret BLOB NOT NULL,
    -- Search columns, as above.
    "agrp" BLOB NOT NULL CHECK (length("agrp") = 16),
    "atag" BLOB NOT NULL CHECK (length("atag") = 16),
    "bsiz" BLOB NOT NULL CHECK (length("bsiz") = 16),
    "crtr" BLOB NOT NULL CHECK (length("crtr") = 16),
    "edat" BLOB NOT NULL CHECK (length("edat") = 16),
    "esiz" BLOB NOT NULL CHECK (length("esiz") = 16),
    "ggrp" BLOB NOT NULL CHECK (length("ggrp") = 16),
    "kcls" BLOB NOT NULL CHECK (length("kcls") = 16),
    "klbl" BLOB NOT NULL CHECK (length("klbl") = 16),
    "musr" BLOB NOT NULL CHECK (length("musr") = 16),
    "sdat" BLOB NOT NULL CHECK (length("sdat") = 16),
    "tkid" BLOB NOT NULL CHECK (length("tkid") = 16),
    "type" BLOB NOT NULL CHECK (length("type") = 16),
    "vwht" BLOB NOT NULL CHECK (length("vwht") = 16),
    "alis" BLOB CHECK (length("alis") = 16),
    "asen" BLOB CHECK (length("asen") = 16),
    "cdat" BLOB CHECK (length("cdat") = 16),
    "decr" BLOB CHECK (length("decr") = 16),
    "drve" BLOB CHECK (length("drve") = 16),
    "encr" BLOB CHECK (length("encr") = 16),
    "extr" BLOB CHECK (length("extr") = 16),
    "labl" BLOB CHECK (length("labl") = 16),
    "mdat" BLOB CHECK (length("mdat") = 16),
    "modi" BLOB CHECK (length("modi") = 16),
    "next" BLOB CHECK (length("next") = 16),
    "pcsi" BLOB CHECK (length("pcsi") = 16),
    "pcsk" BLOB CHECK (length("pcsk") = 16),
    "pcss" BLOB CHECK (length("pcss") = 16),
    "perm" BLOB CHECK (length("perm") = 16),
    "priv" BLOB CHECK (length("priv") = 16),
    "sens" BLOB CHECK (length("sens") = 16),
    "sha1" BLOB CHECK (length("sha1") = 16),
    "sign" BLOB CHECK (length("sign") = 16),
    "snrc" BLOB CHECK (length("snrc") = 16),
    "sysb" BLOB CHECK (length("sysb") = 16),
    "unwp" BLOB CHECK (length("unwp") = 16),
    "vrfy" BLOB CHECK (length("vrfy") = 16),
    "vyrc" BLOB CHECK (length("vyrc") = 16),
    "wrap" BLOB CHECK (length("wrap") = 16)
) STRICT;

-- How programs look for a key: by the hash of its public half, or by their own tag.
CREATE INDEX keysByLabel ON keys (klbl);
CREATE INDEX keysByTag ON keys (atag);

-- Rows of older versions hold nothing here until they are written again.
ALTER TABLE genp ADD COLUMN "pcsi" BLOB CHECK (length("pcsi") = 16);
ALTER TABLE genp ADD COLUMN "pcsk" BLOB CHECK (length("pcsk") = 16);
ALTER TABLE genp ADD COLUMN "pcss" BLOB CHECK (length("pcss") = 16);
ALTER TABLE genp ADD COLUMN "sha1" BLOB CHECK (length("sha1") = 16);
ALTER TABLE genp ADD COLUMN "sysb" BLOB CHECK (length("sysb") = 16);
ALTER TABLE inet ADD COLUMN "pcsi" BLOB CHECK (length("pcsi") = 16);
ALTER TABLE inet ADD COLUMN "pcsk" BLOB CHECK (length("pcsk") = 16);
ALTER TABLE inet ADD COLUMN "pcss" BLOB CHECK (length("pcss") = 16);
ALTER TABLE inet ADD COLUMN "sha1" BLOB CHECK (length("sha1") = 16);
ALTER TABLE inet ADD COLUMN "sysb" BLOB CHECK (length("sysb") = 16);

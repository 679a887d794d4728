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

-- How they are looked for: by what the column holds.
CREATE INDEX always_digest_search ON always_digest (origin, attribute, digest);

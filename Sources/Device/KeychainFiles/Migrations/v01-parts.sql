-- What a home keeps in small files: its keys (sealed under the password) and the
-- keychain's settings.
CREATE TABLE keychain_part (
    name TEXT NOT NULL PRIMARY KEY,
    content BLOB NOT NULL CHECK (length(content) <= 65536)
) STRICT, WITHOUT ROWID;

-- Records whose joined state goes up although nobody here edits them: the server holds more
-- siblings of them than it should, and none that says all. A shipped migration is never edited.
CREATE TABLE rewrite (
    id INTEGER PRIMARY KEY,
    record BLOB NOT NULL UNIQUE CHECK (length(record) = 32),
    -- Not before this time: milliseconds since 1970, by this device's clock.
    due_ms INTEGER NOT NULL CHECK (due_ms >= 0)
) STRICT;

CREATE INDEX rewrite_due ON rewrite (due_ms);

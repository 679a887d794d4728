-- The entries of key-value stores, as programs see them. Names, values and sizes are sealed; the
-- daemon reads all rows when a store is first used, so no column has to be searched.
CREATE TABLE key_value_entry (
    id INTEGER PRIMARY KEY,
    protection INTEGER NOT NULL,
    entry BLOB NOT NULL,
    revision BLOB NOT NULL CHECK (length(revision) = 16)
) STRICT;

-- The last batch of writes of each program that numbers its batches: a batch whose answer was lost
-- is sent again, and must not be carried out twice.
CREATE TABLE key_value_writer (
    id INTEGER PRIMARY KEY,
    writer BLOB NOT NULL UNIQUE CHECK (length(writer) = 16),
    number INTEGER NOT NULL
) STRICT;

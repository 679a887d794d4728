-- What a device keeps of an account that it left with its items, so that it can return.

-- One row: the account that the mirrors, edits and vector belong to while there is no sync_state.
CREATE TABLE departed_account (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    account BLOB NOT NULL CHECK (length(account) = 16),
    -- The store's life that the rest speaks of.
    epoch BLOB NOT NULL CHECK (length(epoch) = 16),
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

-- Records that were pulled while the device was locked: as they came, unopened. The server takes
-- them for received; they are opened and applied at the next unlock. A shipped migration is never
-- edited.
CREATE TABLE waiting (
    -- The order in which they are opened.
    id INTEGER PRIMARY KEY,
    record BLOB NOT NULL UNIQUE CHECK (length(record) = 32),
    -- The record's place in the server's order.
    seq INTEGER NOT NULL CHECK (seq >= 0),
    -- A WireRecord message, with all siblings.
    message BLOB NOT NULL
) STRICT;

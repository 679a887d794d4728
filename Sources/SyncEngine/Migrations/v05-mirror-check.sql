-- What the mirror says beside its sealed state is looked at without a key, and checked by this: the
-- first 8 bytes of SHA-256 over the canonical record, seq, is_stub and dots. Empty in rows that
-- were written before: they are believed as they are. A shipped migration is never edited.
ALTER TABLE mirror ADD COLUMN dots_check BLOB NOT NULL DEFAULT x''
    CHECK (length(dots_check) IN (0, 8));

-- The newest key generation at whose beginning this device held the same records as the device that
-- began it; 0 for none.
ALTER TABLE sync_state ADD COLUMN agreed_generation INTEGER NOT NULL DEFAULT 0
    CHECK (agreed_generation >= 0);

-- From now on the mirror notes which siblings are tombstones: everything is downloaded once more.
UPDATE sync_state SET cursor_seq = NULL, cursor_tag = NULL;

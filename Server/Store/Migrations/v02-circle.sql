-- What the entries of an account's circle take. It counts against the quota beside stored_bytes,
-- and has a bound of its own.
ALTER TABLE account ADD COLUMN circle_bytes INTEGER NOT NULL DEFAULT 0 CHECK (circle_bytes >= 0);
UPDATE account
SET circle_bytes = (
    SELECT coalesce(sum(length(circle_entry.entry)), 0)
    FROM circle_entry
    WHERE circle_entry.account = account.number
);

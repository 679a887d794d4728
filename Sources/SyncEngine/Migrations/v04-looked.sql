-- A conflict counts until its user has looked at the item: has_conflict goes back to 0 then, until
-- other values are in conflict. A shipped migration is never edited.

-- The fingerprint of what was in conflict when the user last looked; null before.
ALTER TABLE mirror ADD COLUMN looked_at BLOB CHECK (length(looked_at) = 16);

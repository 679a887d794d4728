-- The key ring of each generation, sealed to the credentials and the recovery keys by the entry
-- that began it. A login needs an earlier one if a member has stored false envelopes since.
CREATE TABLE generation_envelope (
    account INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    member BLOB NOT NULL CHECK (length(member) = 16),
    -- Of the entry that the envelope belongs to.
    version INTEGER NOT NULL,
    sealed BLOB NOT NULL,
    PRIMARY KEY (account, generation, member)
) STRICT, WITHOUT ROWID;

-- Of the present generation, the newest entry's are the only ones that are still there.
INSERT INTO generation_envelope (account, generation, member, version, sealed)
SELECT key_envelope.account, account.generation, key_envelope.member, account.circle_version, sealed
FROM key_envelope
JOIN account ON account.number = key_envelope.account
JOIN member ON member.account = key_envelope.account AND member.id = key_envelope.member
WHERE member.kind <> 1;

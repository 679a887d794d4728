internal import KSCausality
internal import KSDigests

/// Which entry may follow which.
///
/// The server checks these rules before it stores an entry, and every client checks them again.
package enum CircleRules {
    /// The entry in `next`, if it may follow these.
    ///
    /// `entries`: all from genesis on, checked before; none when `next` is to be the first.
    package static func check(
        next: SignedEntry,
        after entries: [SignedEntry]
    ) throws(CircleError) -> CircleEntry {
        guard let previous = entries.last else { return try checkGenesis(next) }
        return try check(
            next: next,
            after: try decode(previous),
            hash: previous.hash
        ) { () throws(CircleError) in try SponsorLines(of: entries) }
    }

    /// Whether a device and a second member, whose signatures were checked, may end the account.
    ///
    /// `entries`: all from genesis on, checked before.
    package static func checkEnd(
        of entries: [SignedEntry],
        by device: MemberID,
        and second: MemberID
    ) throws(CircleError) {
        guard let last = entries.last else { throw .notGenesis }
        let newest = try decode(last)
        guard let device = newest.member(device), let second = newest.member(second),
            device.kind == .device
        else { throw .authorNotAllowed }
        guard try SponsorLines(of: entries).mayTakeOver(device, with: second) else {
            throw .secondSignerNotIndependent
        }
    }

    /// Whether the credentials signed the entry, whose signatures were checked.
    ///
    /// Such an entry comes with a new credentials box, others without.
    package static func bringsCredentialsBox(_ entry: CircleEntry, signed: SignedEntry) -> Bool {
        guard let credentials = entry.members.first(where: { $0.kind == .credentials }) else {
            return false
        }
        // New credentials sign to prove that they hold their keys.
        return credentials.addedAtVersion == entry.version
            || signed.signatures.contains { $0.member == credentials.id }
    }

    /// Checks that these are the key envelopes of the entry, one for each member.
    package static func checkEnvelopes(
        _ envelopes: [KeyEnvelope],
        of entry: CircleEntry
    ) throws(CircleError) {
        guard envelopes.map(\.member).sorted() == entry.members.map(\.id),
            envelopes.allSatisfy({ $0.sealed.count <= Limits.keyEnvelopeBytesMax }),
            KeyEnvelope.hash(envelopes) == entry.envelopesHash
        else { throw .envelopesInvalid }
    }

    static func decode(_ signed: SignedEntry) throws(CircleError) -> CircleEntry {
        do {
            return try signed.entry()
        } catch {
            throw .malformed
        }
    }
}

// MARK: The first entry

extension CircleRules {
    /// Signed by the first device and by the credentials, its only members.
    static func checkGenesis(_ signed: SignedEntry) throws(CircleError) -> CircleEntry {
        let entry = try decode(signed)
        guard entry.operation == .genesis, entry.previousHash == .zero else { throw .notGenesis }
        guard entry.version == 1 else { throw .wrongVersion(expected: 1) }
        guard entry.members.count == 2,
            let device = entry.members.first(where: { $0.kind == .device }),
            entry.members.contains(where: { $0.kind == .credentials })
        else { throw .membersChanged }
        guard entry.author == device.id else { throw .authorNotAllowed }
        try checkSignatures(of: signed, by: entry.members)
        guard signed.possession.isEmpty else { throw .possessionInvalid }
        for member in entry.members { try checkNew(member, in: entry) }
        try checkKeysDiffer(entry.members)
        guard entry.generation == 1, entry.closingVector.isEmpty, entry.closingDigest == .zero,
            entry.voidGenerations.isEmpty
        else { throw .generationInvalid }
        guard entry.oldestGeneration == 1, entry.oldestFormat >= 1 else { throw .floorInvalid }
        return entry
    }
}

// MARK: Every further entry

extension CircleRules {
    static func check(
        next signed: SignedEntry,
        after previous: CircleEntry,
        hash: Hash,
        sponsors: () throws(CircleError) -> SponsorLines
    ) throws(CircleError) -> CircleEntry {
        let entry = try decode(signed)
        guard entry.account == previous.account else { throw .otherAccount }
        guard entry.operation != .genesis else { throw .notGenesis }
        guard entry.version == previous.version + 1 else {
            throw .wrongVersion(expected: previous.version + 1)
        }
        guard entry.previousHash == hash else { throw .otherHistory }
        let step = CircleStep(signed: signed, entry: entry, previous: previous)
        // The signers are checked before any field below is used.
        try step.checkSigners(sponsors: sponsors)
        let change = MemberChange(from: previous, to: entry)
        try step.checkMembers(change)
        try step.checkPossession(change)
        try step.checkGeneration(change)
        try step.checkFloors()
        return entry
    }
}

/// An entry, and the one that it follows.
private struct CircleStep {
    let signed: SignedEntry
    let entry: CircleEntry
    let previous: CircleEntry

    /// Checks that the author, and if required a second member, signed it, and nobody else.
    func checkSigners(sponsors: () throws(CircleError) -> SponsorLines) throws(CircleError) {
        guard let author = previous.member(entry.author), entry.operation.may(be: author.kind)
        else { throw .authorNotAllowed }
        guard entry.operation.needsSecondMember else {
            return try CircleRules.checkSignatures(of: signed, by: [author])
        }
        let others = signed.signatures.filter { $0.member != author.id }
        guard others.count == 1, let second = previous.member(others[0].member) else {
            throw .secondSignatureMissing
        }
        try CircleRules.checkSignatures(of: signed, by: [author, second])
        guard try sponsors().mayTakeOver(author, with: second) else {
            throw .secondSignerNotIndependent
        }
    }

    func checkMembers(_ change: MemberChange) throws(CircleError) {
        guard entry.members.count(where: { $0.kind == .credentials }) == 1,
            // A removed author would know the new keys. If it is no device, it may remove the last
            // one, which may be a thief's: a login then adds another.
            entry.member(entry.author) != nil,
            change.isAllowed(for: entry.operation)
        else { throw .membersChanged }
        for member in change.added { try CircleRules.checkNew(member, in: entry) }
        try CircleRules.checkKeysDiffer(entry.members)
        for member in change.renamed { try CircleRules.checkNameBox(of: member) }
    }

    func checkPossession(_ change: MemberChange) throws(CircleError) {
        let isValid =
            change.added.first.map {
                Possession.isShown(by: $0, in: entry, signature: signed.possession)
            } ?? signed.possession.isEmpty
        guard isValid else { throw .possessionInvalid }
    }

    /// A removed member must not be able to read later writes.
    func checkGeneration(_ change: MemberChange) throws(CircleError) {
        let isSameRoot = entry.rootCheck == previous.rootCheck
        let isValid =
            if change.removed.isEmpty {
                entry.generation == previous.generation && isSameRoot
                    && entry.closingVector.isEmpty && entry.closingDigest == .zero
                    && entry.voidGenerations == previous.voidGenerations
            } else {
                // Members check whether the void generations are those that nobody has the keys of.
                entry.generation == previous.generation + 1 && !isSameRoot
                    && entry.voidGenerations.allSatisfy { 1..<entry.generation ~= $0 }
            }
        guard isValid else { throw .generationInvalid }
    }

    func checkFloors() throws(CircleError) {
        let before = (previous.oldestGeneration, previous.oldestFormat)
        let after = (entry.oldestGeneration, entry.oldestFormat)
        guard after.0 >= before.0, after.1 >= before.1, after.0 <= entry.generation,
            (after != before) == (entry.operation == .retireGenerations)
        else { throw .floorInvalid }
    }
}

// MARK: Parts

extension CircleRules {
    /// Checks that exactly these members have signed.
    fileprivate static func checkSignatures(
        of signed: SignedEntry,
        by members: [Member]
    ) throws(CircleError) {
        guard signed.signatures.map(\.member) == members.map(\.id).sorted() else {
            throw .signatureInvalid
        }
        // Both are sorted by id.
        for (signature, member) in zip(signed.signatures, members.sorted { $0.id < $1.id }) {
            guard
                Ed25519Verification.isValid(
                    signature: signature.signature,
                    of: signed.signedBytes,
                    publicKey: member.signingKey
                )
            else { throw .signatureInvalid }
        }
    }

    fileprivate static func checkNew(_ member: Member, in entry: CircleEntry) throws(CircleError) {
        guard member.id == MemberID(signingKey: member.signingKey),
            PublicKeyRules.isUsableForAgreement(member.agreementKey),
            member.addedAtVersion == entry.version, member.addedBy == entry.author
        else { throw .memberInvalid }
        try checkNameBox(of: member)
    }

    fileprivate static func checkNameBox(of member: Member) throws(CircleError) {
        guard member.nameBox.count <= Limits.nameBoxBytesMax else { throw .memberInvalid }
    }

    /// Checks that no two members share a key, or both could open one envelope.
    fileprivate static func checkKeysDiffer(_ members: [Member]) throws(CircleError) {
        guard Set(members.map(\.signingKey)).count == members.count,
            Set(members.map(\.agreementKey)).count == members.count
        else { throw .memberInvalid }
    }
}

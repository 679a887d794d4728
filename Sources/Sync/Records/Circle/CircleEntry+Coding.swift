extension CircleEntry {
    private static let label = "entry"

    /// The bytes that are signed.
    package var encoded: [UInt8] {
        var encoder = CanonicalEncoder(label: Self.label)
        encoder.fixed(account)
        encoder.integer(version)
        encoder.fixed(previousHash)
        encoder.integer(operation.rawValue)
        encoder.list(members) { $0.member($1) }
        encoder.integer(generation)
        encoder.bytes(rootCheck)
        encoder.vector(closingVector)
        encoder.fixed(closingDigest)
        encoder.list(voidGenerations) { $0.integer($1) }
        encoder.integer(oldestGeneration)
        encoder.integer(oldestFormat)
        encoder.fixed(envelopesHash)
        encoder.fixed(author)
        return encoder.encoded
    }

    /// Decodes signed bytes; check the signatures before using any field.
    package init(decoding encoded: [UInt8]) throws(RecordsError) {
        var decoder = try CanonicalDecoder(encoded, label: Self.label)
        account = try decoder.fixed()
        version = try decoder.integer()
        previousHash = try decoder.fixed()
        guard let operation = CircleOperation(rawValue: try decoder.integer()) else {
            throw .malformed
        }
        self.operation = operation
        members = try decoder.list { decoder throws(RecordsError) in try decoder.member() }
        generation = try decoder.integer()
        rootCheck = try decoder.bytes(count: 32)
        closingVector = try decoder.vector()
        closingDigest = try decoder.fixed()
        voidGenerations = try decoder.list { decoder throws(RecordsError) in
            try decoder.integer()
        }
        oldestGeneration = try decoder.integer()
        oldestFormat = try decoder.integer()
        envelopesHash = try decoder.fixed()
        author = try decoder.fixed()
        try decoder.end()
        guard members.count <= Limits.membersMax else { throw .tooLarge }
        guard members.map(\.id).isStrictlyRising, version > 0, voidGenerations.isStrictlyRising
        else { throw .malformed }
    }
}

extension CanonicalEncoder {
    fileprivate mutating func member(_ member: Member) {
        fixed(member.id)
        integer(member.kind.rawValue)
        bytes(member.signingKey)
        bytes(member.agreementKey)
        bytes(member.nameBox)
        integer(member.addedAtVersion)
        fixed(member.addedBy)
    }
}

extension CanonicalDecoder {
    fileprivate mutating func member() throws(RecordsError) -> Member {
        let id: MemberID = try fixed()
        guard let kind = MemberKind(rawValue: try integer()) else { throw .malformed }
        return Member(
            id: id,
            kind: kind,
            signingKey: try bytes(count: 32),
            agreementKey: try bytes(count: 32),
            nameBox: try bytes(),
            addedAtVersion: try integer(),
            addedBy: try fixed()
        )
    }
}

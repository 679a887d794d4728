import KSDigests
import KSPrimitives
import KSRecords
import KSSealing
import KSTestSupport

/// An account with a laptop, its credentials, and a phone that logged in.
struct CircleWorld {
    let random = SeededRandomSource(seed: 11)
    let account = AccountID(validated: .rising(from: 0xA0, count: 16))
    let laptop: DeviceIdentity
    let phone: DeviceIdentity
    let stranger: DeviceIdentity
    let credentials: AccountCredentials
    let keyRing: KeyRing
    let genesis: CircleChange
    let login: CircleChange
    var chain: CircleChain

    init() throws {
        laptop = .random(from: random)
        phone = .random(from: random)
        stranger = .random(from: random)
        credentials = try Self.credentials("password")
        keyRing = .random(from: random)
        genesis = try CircleAuthoring.genesis(
            account: account,
            device: laptop,
            deviceName: "laptop",
            credentials: credentials,
            keyRing: keyRing,
            random: random
        )
        var chain = try CircleChain(verifying: [genesis.entry])
        login = try CircleAuthoring.addDevice(
            DeviceApplication(of: phone, name: "phone", to: chain),
            to: chain,
            keyRing: keyRing,
            by: .credentials(credentials),
            random: random
        )
        try chain.append(login.entry)
        self.chain = chain
    }

    /// The circle after the laptop has added a third device.
    func chain(adding device: DeviceIdentity, name: String) throws -> CircleChain {
        let adding = try CircleAuthoring.addDevice(
            DeviceApplication(of: device, name: name, to: chain),
            to: chain,
            keyRing: keyRing,
            by: .device(laptop),
            random: random
        )
        var longer = chain
        try longer.append(adding.entry)
        return longer
    }

    static func credentials(_ password: String, key: UInt8 = 0xF0) throws -> AccountCredentials {
        guard let accountKey = AccountKey(bytes: .rising(from: key, count: 16)) else {
            throw SealingError.malformed
        }
        return try AccountCredentials.derive(
            password: Array(password.utf8),
            accountKey: accountKey,
            cost: .simulation
        )
    }

    /// The entry after the newest, with its own operation and author, and else the same values.
    func next(_ operation: CircleOperation, by author: CircleSigner) -> CircleEntry {
        var entry = chain.newest
        entry.version += 1
        entry.previousHash = chain.newestHash
        entry.operation = operation
        entry.author = author.memberID
        return entry
    }

    /// The next entry, without some members, under a new root key.
    func removing(
        _ ids: [MemberID],
        by author: CircleSigner,
        as operation: CircleOperation = .revoke
    ) -> CircleEntry {
        var entry = next(operation, by: author)
        entry.members.removeAll { ids.contains($0.id) }
        entry.generation += 1
        entry.rootCheck = .rising(from: 0x77)
        return entry
    }

    func sign(
        _ entry: CircleEntry,
        by signers: [CircleSigner],
        possession: [UInt8] = []
    ) -> SignedEntry {
        let bytes = entry.encoded
        return SignedEntry(
            signedBytes: bytes,
            signatures: signers.map {
                MemberSignature(member: $0.memberID, signature: $0.sign(bytes))
            },
            possession: possession
        )
    }

    func member(
        _ signer: CircleSigner,
        _ kind: MemberKind,
        agreementKey: [UInt8],
        version: UInt64,
        by author: CircleSigner
    ) -> Member {
        let signingKey: [UInt8] =
            switch signer {
            case .device(let identity): identity.signingPublicKey
            case .credentials(let credentials): credentials.signingPublicKey
            }
        return Member(
            id: signer.memberID,
            kind: kind,
            signingKey: signingKey,
            agreementKey: agreementKey,
            nameBox: [],
            addedAtVersion: version,
            addedBy: author.memberID
        )
    }

    func possession(_ member: Member, signer: CircleSigner, entry: CircleEntry) -> [UInt8] {
        signer.sign(
            Possession.statement(
                account: entry.account,
                previousHash: entry.previousHash,
                signingKey: member.signingKey,
                agreementKey: member.agreementKey
            )
        )
    }

    /// The rules' verdict on an entry after the newest.
    func verdict(_ signed: SignedEntry) -> CircleError? {
        do throws(CircleError) {
            _ = try CircleRules.check(next: signed, after: chain.entries)
            return nil
        } catch {
            return error
        }
    }
}

extension Member {
    func changed(
        id: MemberID? = nil,
        kind: MemberKind? = nil,
        signingKey: [UInt8]? = nil,
        agreementKey: [UInt8]? = nil,
        nameBox: [UInt8]? = nil,
        addedAtVersion: UInt64? = nil,
        addedBy: MemberID? = nil
    ) -> Member {
        Member(
            id: id ?? self.id,
            kind: kind ?? self.kind,
            signingKey: signingKey ?? self.signingKey,
            agreementKey: agreementKey ?? self.agreementKey,
            nameBox: nameBox ?? self.nameBox,
            addedAtVersion: addedAtVersion ?? self.addedAtVersion,
            addedBy: addedBy ?? self.addedBy
        )
    }
}

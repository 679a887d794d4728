internal import Foundation
package import GRDB
package import KSRecords
package import KSSealing
internal import SwiftProtobuf
internal import KSWire

/// A sign-up that was sent or is about to be: everything but the server's answer.
///
/// It is saved before it is sent. A device may die, or its disk may be full, after the server
/// accepted the sign-up and before the device has saved that. It then sends the draft again;
/// without it the name would be taken and its Account Key gone.
package struct SignUpDraft: Equatable, Sendable {
    package let account: AccountID
    package let names: EnrolledNames
    package let server: ServerSettings
    package let identity: DeviceIdentity
    package let accountKey: AccountKey
    package let keyRing: KeyRing
    package let change: CircleChange

    package init(
        account: AccountID,
        names: EnrolledNames,
        server: ServerSettings,
        identity: DeviceIdentity,
        accountKey: AccountKey,
        keyRing: KeyRing,
        change: CircleChange
    ) {
        self.account = account
        self.names = names
        self.server = server
        self.identity = identity
        self.accountKey = accountKey
        self.keyRing = keyRing
        self.change = change
    }

    package static func == (left: SignUpDraft, right: SignUpDraft) -> Bool {
        left.account == right.account && left.change == right.change
    }

    /// Whether it would make the account of this name on this server.
    func isFor(_ names: EnrolledNames, on server: ServerSettings) -> Bool {
        self.names.account == names.account && self.server.origin == server.origin
    }

    /// Whether it makes these credentials a member.
    func admits(_ credentials: AccountCredentials) -> Bool {
        // A damaged draft admits nobody; only this device could have damaged it.
        guard let circle = try? CircleChain(verifying: [change.entry]) else { return false }
        return circle.newest.member(credentials.memberID) != nil
    }
}

/// Keeps the drafts of sign-ups until one of them has become an account.
package protocol SignUpDraftKeeping: Sendable {
    func signUpDrafts() async throws -> [SignUpDraft]
    /// Durable when it returns.
    func replaceSignUpDrafts(_ drafts: [SignUpDraft]) async throws
}

extension SignUpDraft {
    /// How many drafts are kept; the oldest ones are dropped first.
    static let countMax = 16

    static func encode(_ drafts: [SignUpDraft]) throws(SealingError) -> [UInt8] {
        let rings = try drafts.map { draft throws(SealingError) in try draft.keyRing.encode() }
        var encoder = CanonicalEncoder()
        encoder.list(Array(zip(drafts, rings))) { encoder, element in
            let (draft, ring) = element
            encoder.fixed(draft.account)
            encoder.bytes(draft.names.encoded)
            encoder.bytes(draft.server.encoded)
            encoder.bytes(draft.identity.encode())
            encoder.bytes(draft.accountKey.bytes)
            encoder.bytes(ring)
            encoder.bytes(draft.wireChange)
        }
        return encoder.encoded
    }

    static func decode(_ bytes: [UInt8]) throws -> [SignUpDraft] {
        var decoder = CanonicalDecoder(bytes)
        let parts = try decoder.list { decoder throws(RecordsError) in
            Parts(
                account: try decoder.fixed(),
                names: try decoder.bytes(),
                server: try decoder.bytes(),
                identity: try decoder.bytes(),
                accountKey: try decoder.bytes(),
                keyRing: try decoder.bytes(),
                change: try decoder.bytes()
            )
        }
        try decoder.end()
        return try parts.map { try $0.draft() }
    }

    private struct Parts {
        let account: AccountID
        let names: [UInt8]
        let server: [UInt8]
        let identity: [UInt8]
        let accountKey: [UInt8]
        let keyRing: [UInt8]
        let change: [UInt8]

        func draft() throws -> SignUpDraft {
            let update = try WireCircleUpdate(serializedBytes: Data(change))
            return SignUpDraft(
                account: account,
                names: try EnrolledNames(decoding: names),
                server: try ServerSettings(decoding: server),
                identity: try DeviceIdentity(decoding: identity),
                accountKey: try AccountKey(bytes: accountKey).orCorrupt(),
                keyRing: try KeyRing(decoding: keyRing),
                change: CircleChange(
                    entry: try update.entry.value(),
                    envelopes: try update.envelopes.map { try $0.value() },
                    credentialsBox: Array(update.credentialsBox)
                )
            )
        }
    }

    private var wireChange: [UInt8] {
        ServerClient.encode(WireCircleUpdate(change))
    }
}

extension SignUpDraft {
    /// The drafts in a device's database, usually none.
    package static func load(
        from database: any DatabaseWriter,
        rows: SealedRows
    ) throws -> [SignUpDraft] {
        try database.unsafeRead { database in
            let values = AccountValueTable(rows: rows)
            return try values.load(.signUpDrafts, from: database).map(decode) ?? []
        }
    }

    /// Replaces all drafts; synced to disk when it returns.
    package static func replace(
        _ drafts: [SignUpDraft],
        in database: any DatabaseWriter,
        rows: SealedRows
    ) throws {
        try database.write { database in
            let values = AccountValueTable(rows: rows)
            try values.save(encode(drafts), as: .signUpDrafts, in: database)
        }
    }
}

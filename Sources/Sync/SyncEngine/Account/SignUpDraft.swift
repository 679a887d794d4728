internal import Foundation
package import GRDB
package import KSRecords
package import KSSealing
package import KSTransport
internal import SwiftProtobuf
internal import KSWire

/// A sign-up that was sent or is about to be: everything but the server's answer.
///
/// It is saved before it is sent. A device may crash, or its disk may be full, after the server
/// accepted the sign-up and before the device has saved that. The device then sends the draft
/// again; without the draft, the name would be taken and the Account Key lost.
///
/// An account can exist only for a draft that was sent, so only such drafts have to be kept.
package struct SignUpDraft: Equatable, Sendable {
    package let account: AccountID
    package let names: EnrolledNames
    package let server: ServerEndpoint
    package let identity: DeviceIdentity
    package let accountKey: AccountKey
    package let keyRing: KeyRing
    package let change: CircleChange
    /// Whether the server may have received it; saved before the request goes out.
    package fileprivate(set) var wasSent = false

    package static func == (left: SignUpDraft, right: SignUpDraft) -> Bool {
        left.account == right.account && left.change == right.change
    }

    /// Whether the draft signs up this account name on this server.
    func isFor(_ names: EnrolledNames, on server: ServerEndpoint) -> Bool {
        self.names.account == names.account && self.server.origin == server.origin
    }

    /// Whether these credentials are a member of the draft's circle.
    func admits(_ credentials: AccountCredentials) -> Bool {
        // A damaged draft has no members; only this device could have damaged it.
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
    /// How many drafts are kept.
    static let countMax = 16

    /// These drafts and another one, without the oldest if there are too many: first of those that
    /// were not sent, which nobody needs any more.
    static func adding(_ draft: SignUpDraft, to drafts: [SignUpDraft]) -> [SignUpDraft] {
        var kept = drafts
        while kept.count >= countMax {
            kept.remove(at: kept.firstIndex { !$0.wasSent } ?? 0)
        }
        return kept + [draft]
    }

    /// These drafts, in one of which it says otherwise whether it was sent.
    package static func marking(
        _ draft: SignUpDraft,
        wasSent: Bool,
        in drafts: [SignUpDraft]
    ) -> [SignUpDraft] {
        drafts.map { other in
            var other = other
            if other == draft { other.wasSent = wasSent }
            return other
        }
    }

    static func encode(_ drafts: [SignUpDraft]) throws(SealingError) -> [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.integer(UInt64(drafts.count))
        for draft in drafts {
            encoder.fixed(draft.account)
            encoder.bytes(draft.names.encoded)
            encoder.bytes(draft.server.encoded)
            encoder.bytes(draft.identity.encode())
            encoder.bytes(draft.accountKey.bytes)
            encoder.bytes(try draft.keyRing.encode())
            encoder.bytes(ServerClient.encode(WireCircleUpdate(draft.change)))
            encoder.boolean(draft.wasSent)
        }
        return encoder.encoded
    }

    static func decode(_ bytes: [UInt8]) throws -> [SignUpDraft] {
        var decoder = CanonicalDecoder(bytes)
        var drafts: [SignUpDraft] = []
        for _ in 0..<(try decoder.integer()) { drafts.append(try SignUpDraft(from: &decoder)) }
        try decoder.end()
        return drafts
    }

    private init(from decoder: inout CanonicalDecoder) throws {
        account = try decoder.fixed()
        names = try EnrolledNames(decoding: decoder.bytes())
        server = try ServerEndpoint(decoding: decoder.bytes())
        identity = try DeviceIdentity(decoding: decoder.bytes())
        accountKey = try AccountKey(bytes: decoder.bytes()).orCorrupt()
        keyRing = try KeyRing(decoding: decoder.bytes())
        change = try WireCircleUpdate(serializedBytes: Data(decoder.bytes())).value()
        wasSent = try decoder.boolean()
    }
}

extension SignUpDraft {
    /// The drafts in a device's database, usually none.
    package static func load(
        from database: any DatabaseWriter,
        rows: SealedRows
    ) throws -> [SignUpDraft] {
        let values = AccountValueTable(rows: rows)
        return try database.unsafeRead { try values.load(.signUpDrafts, from: $0) }
            .map(decode) ?? []
    }

    /// Replaces all drafts; synced to disk when it returns.
    package static func replace(
        _ drafts: [SignUpDraft],
        in database: any DatabaseWriter,
        rows: SealedRows
    ) throws {
        let values = AccountValueTable(rows: rows)
        try database.write { try values.save(encode(drafts), as: .signUpDrafts, in: $0) }
    }
}

internal import Foundation
internal import GRDB
package import KSRecords
internal import KSWire
internal import SwiftProtobuf

// A server that went back may have lost entries of the circle: a device that was added or revoked
// since, or credentials that were changed. The circle is put back before any record goes up, so
// that a revoked device is out again.

extension Replica {
    /// How long a device that the server refuses believes why, unless somebody asks it to sync.
    private static var refusedMilliseconds: UInt64 { 300_000 }

    /// Handles the whole circle as a server shows it that went back.
    ///
    /// - Returns: whether it is an older one than this device knows.
    func noteOlderCircle(_ received: [SignedEntry]) -> Bool {
        guard received.count < circle.entries.count,
            received.elementsEqual(circle.entries.prefix(received.count))
        else { return false }
        tell(.circleIsOlder)
        return true
    }

    /// Notes that the server refuses this device: it may have lost the entry that added it, or the
    /// account.
    ///
    /// - Returns: whether the next request shows which; false if one has shown it just now.
    func noteUnknownMember() -> Bool {
        let now = uptime()
        if let last = returnAnswerUptime, now - min(last, now) < Self.refusedMilliseconds {
            return false
        }
        tell(.circleIsOlder)
        return true
    }

    /// Asks why the server refuses this device, unless a request is on its way: that one will be
    /// refused, too.
    ///
    /// - Returns: whether the next request asks.
    func askWhyRefused() -> Bool {
        guard !machine.isAwaitingAnswer, noteUnknownMember() else { return false }
        // The refusal shows that the server is in reach.
        tell(.serverHeard)
        return true
    }

    /// Whether the server has not said yet why it refuses this device, and is being asked.
    var isRefusalUnexplained: Bool {
        refusal == .device && returnAnswerUptime == nil && machine.returnsCircle
    }

    /// Notes that the server has said whether it takes the circle back.
    func noteReturnAnswer() { returnAnswerUptime = uptime() }

    /// A request that puts the circle back; nil if this device does not have all that belongs to
    /// its newest entry.
    func returnRequest() throws -> SyncRequest? {
        try wholeCircle().map { .returnCircle($0.newest()) }
    }

    /// All that a server needs to make the account again, but for its name; nil if this device does
    /// not have all that belongs to the newest entry.
    package func wholeCircle() throws -> CircleReturn? {
        try database.unsafeRead { database in
            try CircleReturn.whole(self.circle.entries, values: self.accountValues, in: database)
        }
    }

    /// Keeps what the server shows beside the newest entry, if it belongs to it.
    func keepCopy(_ shown: CircleState?, of chain: CircleChain, in database: Database) throws {
        guard let shown, let newest = chain.entries.last, let box = shown.credentialsBox,
            shown.envelopes.map(\.member).sorted() == chain.newest.members.map(\.id),
            KeyEnvelope.hash(shown.envelopes) == chain.newest.envelopesHash
        else { return }
        let change = CircleChange(
            entry: newest,
            envelopes: shown.envelopes,
            credentialsBox: box
        )
        try accountValues.save(change.copy, as: .circleCopy, in: database)
    }
}

extension CircleReturn {
    /// How many bytes of entries go back at most, the newest ones.
    private static var newestBytesMax: Int { 1 << 20 }

    /// All entries, with what this device keeps beside the newest one; nil if it does not have
    /// that.
    static func whole(
        _ entries: [SignedEntry],
        values: AccountValueTable,
        in database: Database
    ) throws -> CircleReturn? {
        let copy = try Kept { try values.load(.circleCopy, from: database) }
        guard case .kept(let bytes?) = copy, let change = CircleChange(copy: bytes),
            change.entry == entries.last, let box = change.credentialsBox
        else { return nil }
        return CircleReturn(entries: entries, envelopes: change.envelopes, credentialsBox: box)
    }

    /// Only the newest entries, as many as fit.
    func newest() -> CircleReturn {
        var byteCount = 0
        let newest = entries.reversed().prefix { entry in
            byteCount += entry.signedBytes.count + 256
            return byteCount <= Self.newestBytesMax
        }
        return CircleReturn(
            entries: newest.reversed(),
            envelopes: envelopes,
            credentialsBox: credentialsBox
        )
    }
}

extension CircleChange {
    /// As a device keeps it.
    package var copy: [UInt8] { ServerClient.encode(WireCircleUpdate(self)) }

    fileprivate init?(copy: [UInt8]) {
        do {
            self = try WireCircleUpdate(serializedBytes: Data(copy)).value()
        } catch {
            // The seal was right, so an earlier program wrote it; the next circle replaces it.
            return nil
        }
    }
}

package import KSRecords
internal import KSWire

/// What a store lost of a circle, put back by a member.
package struct IncomingReturn: Sendable {
    /// The entries that the store lacks, in order; none if it has them all.
    package let missing: [CircleEntry]
    package let signed: [SignedEntry]
    /// The last of them, with its key envelopes; nil if the store has it.
    package let newest: IncomingEntry?
    package let credentialsBox: [UInt8]
    /// The members of the newest entry, one of which has to have signed the request.
    package let members: [Member]

    /// Checks that the entries extend a circle, by the rules for each single one.
    ///
    /// The account's vector plays no part: the generations that the entries end have ended before
    /// the store lost them.
    ///
    /// - Parameters:
    ///   - circle: what is put back.
    ///   - account: whose circle it is.
    ///   - stored: all entries that the store has, checked before.
    /// - Throws: ``StoreError/refused(_:)``: `circle_changed` if the store has another entry or a
    ///   newer one.
    package init(
        _ circle: CircleReturn,
        of account: AccountID,
        after stored: [SignedEntry]
    ) throws(StoreError) {
        var chain = stored
        var missing: [CircleEntry] = []
        for signed in circle.entries {
            let entry = try Self.entry(signed)
            guard entry.account == account else { throw .refused(.malformed) }
            if entry.version <= UInt64(stored.count), entry.version > 0 {
                guard stored[Int(entry.version) - 1] == signed else {
                    throw .refused(.circleChanged)
                }
                continue
            }
            do {
                missing.append(try CircleRules.check(next: signed, after: chain))
            } catch {
                throw .refused(.refused)
            }
            chain.append(signed)
        }
        guard let last = circle.entries.last, last == chain.last else {
            throw .refused(.circleChanged)
        }
        members = try Self.entry(last).members
        self.missing = missing
        signed = Array(chain.dropFirst(stored.count))
        credentialsBox = circle.credentialsBox
        guard !missing.isEmpty else {
            newest = nil
            return
        }
        guard !circle.credentialsBox.isEmpty,
            circle.credentialsBox.count <= Limits.keyEnvelopeBytesMax
        else { throw .refused(.malformed) }
        let incoming = try IncomingEntry(
            CircleChange(
                entry: last,
                envelopes: circle.envelopes,
                credentialsBox: circle.credentialsBox
            ),
            of: account
        )
        do {
            try CircleRules.checkEnvelopes(incoming.envelopes, of: incoming.entry)
        } catch {
            throw .refused(.refused)
        }
        newest = incoming
    }

    private static func entry(_ signed: SignedEntry) throws(StoreError) -> CircleEntry {
        do {
            return try signed.entry()
        } catch {
            throw .refused(.malformed)
        }
    }
}

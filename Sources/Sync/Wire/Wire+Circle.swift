internal import Foundation
package import KSRecords

// Conversions between a circle's entries and answers and their messages.

extension WireSignedEntry {
    package init(_ entry: SignedEntry) {
        self.init()
        signedBytes = Data(entry.signedBytes)
        possession = Data(entry.possession)
        signatures = entry.signatures.map { signature in
            var message = WireMemberSignature()
            message.member = Data(signature.member.bytes)
            message.signature = Data(signature.signature)
            return message
        }
    }

    package func value() throws(WireError) -> SignedEntry {
        let signatures = try self.signatures.map { message throws(WireError) in
            guard let member = MemberID(Array(message.member)) else { throw .malformed }
            return MemberSignature(member: member, signature: Array(message.signature))
        }
        return SignedEntry(
            signedBytes: Array(signedBytes),
            signatures: signatures,
            possession: Array(possession)
        )
    }
}

extension WireKeyEnvelope {
    package init(_ envelope: KeyEnvelope) {
        self.init()
        member = Data(envelope.member.bytes)
        sealed = Data(envelope.sealed)
    }

    package func value() throws(WireError) -> KeyEnvelope {
        guard let member = MemberID(Array(member)) else { throw .malformed }
        return KeyEnvelope(member: member, sealed: Array(sealed))
    }
}

extension [WireKeyEnvelope] {
    fileprivate func values() throws(WireError) -> [KeyEnvelope] {
        try map { envelope throws(WireError) in try envelope.value() }
    }
}

extension WireCircleUpdate {
    package init(_ change: CircleChange) {
        self.init()
        entry = WireSignedEntry(change.entry)
        envelopes = change.envelopes.map(WireKeyEnvelope.init)
        credentialsBox = Data(change.credentialsBox ?? [])
    }

    package func value() throws(WireError) -> CircleChange {
        guard hasEntry else { throw .malformed }
        return CircleChange(
            entry: try entry.value(),
            envelopes: try envelopes.values(),
            credentialsBox: credentialsBox.isEmpty ? nil : Array(credentialsBox)
        )
    }
}

extension WireSignupRequest {
    /// The first entry of the account's circle, with its key envelopes and its box.
    package var genesis: WireCircleUpdate {
        get {
            var update = WireCircleUpdate()
            if hasEntry { update.entry = entry }
            (update.envelopes, update.credentialsBox) = (envelopes, credentialsBox)
            return update
        }
        set {
            (entry, envelopes) = (newValue.entry, newValue.envelopes)
            credentialsBox = newValue.credentialsBox
        }
    }
}

extension WireCircleResponse {
    package init(_ circle: CircleState) {
        self.init()
        account = Data(circle.account.bytes)
        epoch = Data(circle.epoch.bytes)
        entries = circle.entries.map(WireSignedEntry.init)
        if let envelope = circle.envelope { self.envelope = WireKeyEnvelope(envelope) }
        credentialsBox = Data(circle.credentialsBox ?? [])
        envelopes = circle.envelopes.map(WireKeyEnvelope.init)
    }

    package func value() throws(WireError) -> CircleState {
        guard let account = AccountID(Array(account)), let epoch = StoreEpoch(Array(epoch)) else {
            throw .malformed
        }
        return CircleState(
            account: account,
            epoch: epoch,
            entries: try entries.map { entry throws(WireError) in try entry.value() },
            envelope: hasEnvelope ? try envelope.value() : nil,
            credentialsBox: credentialsBox.isEmpty ? nil : Array(credentialsBox),
            envelopes: try envelopes.values()
        )
    }
}

extension WireCircleReturn {
    package init(_ circle: CircleReturn) {
        self.init()
        entries = circle.entries.map(WireSignedEntry.init)
        envelopes = circle.envelopes.map(WireKeyEnvelope.init)
        credentialsBox = Data(circle.credentialsBox)
    }

    package func value() throws(WireError) -> CircleReturn {
        CircleReturn(
            entries: try entries.map { entry throws(WireError) in try entry.value() },
            envelopes: try envelopes.values(),
            credentialsBox: Array(credentialsBox)
        )
    }
}

extension WireCircleEntryResponse {
    package init(_ shown: ShownEntry) {
        self.init()
        entry = WireSignedEntry(shown.entry)
        envelopes = shown.envelopes.map(WireKeyEnvelope.init)
        vector = [WireVectorEntry](shown.vector)
    }

    package func value() throws(WireError) -> ShownEntry {
        ShownEntry(
            entry: try entry.value(),
            envelopes: try envelopes.values(),
            vector: try vector.vector()
        )
    }
}

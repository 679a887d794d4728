package import KSCausality
internal import Foundation
package import KSRecords

// Conversions between messages and the program's values. Missing fields and wrong lengths are
// refused here, so no other code has to check them.

extension UInt64 {
    /// A seq or a counter, below 2^63: no account reaches more, and databases hold no more.
    package func counted() throws(WireError) -> UInt64 {
        guard self <= UInt64(Int64.max) else { throw .malformed }
        return self
    }
}

extension WireDot {
    package init(_ dot: Dot) {
        self.init()
        actor = dot.actor.rawValue
        counter = dot.counter
    }

    package func value() throws(WireError) -> Dot {
        guard counter > 0 else { throw .malformed }
        return Dot(actor: ActorID(rawValue: actor), counter: try counter.counted())
    }
}

extension WireEnvelope {
    package init(_ envelope: Envelope) {
        self.init()
        format = envelope.format
        recordID = Data(envelope.recordID.bytes)
        dot = WireDot(envelope.dot)
        replaced = envelope.replaced.map(WireDot.init)
        generation = envelope.generation
        tombstone = envelope.isTombstone
        kind = envelope.kind.rawValue
        box = Data(envelope.box)
    }

    package func value() throws(WireError) -> Envelope {
        let replaced = try self.replaced.map { dot throws(WireError) in try dot.value() }
        guard let recordID = RecordID(Array(recordID)), let kind = RecordKind(rawValue: kind),
            hasDot, replaced.isStrictlyRising
        else { throw .malformed }
        return Envelope(
            format: format,
            recordID: recordID,
            dot: try dot.value(),
            replaced: replaced,
            generation: generation,
            isTombstone: tombstone,
            kind: kind,
            box: Array(box)
        )
    }
}

extension WireCursor {
    package init(_ cursor: Cursor) {
        self.init()
        epoch = Data(cursor.epoch.bytes)
        seq = cursor.seq
        tag = Data(cursor.tag.bytes)
    }

    package func value() throws(WireError) -> Cursor {
        guard let epoch = StoreEpoch(Array(epoch)), let tag = CommitTag(Array(tag)) else {
            throw .malformed
        }
        return Cursor(epoch: epoch, seq: try seq.counted(), tag: tag)
    }
}

extension WirePushRequest {
    package init(_ batch: Batch, applied: Cursor?) {
        self.init()
        signedHeader = Data(batch.signedHeader)
        signature = Data(batch.signature)
        envelopes = batch.envelopes.map(WireEnvelope.init)
        if let applied { self.applied = WireCursor(applied) }
    }

    /// - Throws: ``WireError/records(_:)`` with the counters of unreadable records, for instance of
    ///   a newer program's kind. Their sender can send the others.
    package func batch() throws(WireError) -> Batch {
        var unreadable: [RefusedRecord] = []
        var envelopes: [Envelope] = []
        envelopes.reserveCapacity(self.envelopes.count)
        for message in self.envelopes {
            do throws(WireError) {
                let envelope = try message.value()
                guard envelope.kind.isKnown else { throw .malformed }
                envelopes.append(envelope)
            } catch {
                // Without a counter the record cannot be named.
                guard message.hasDot else { throw error }
                unreadable.append(RefusedRecord(counter: message.dot.counter, code: .malformed))
            }
        }
        guard unreadable.isEmpty else { throw .records(unreadable) }
        return Batch(
            signedHeader: Array(signedHeader),
            signature: Array(signature),
            envelopes: envelopes
        )
    }
}

extension WireVectorUpdate {
    /// The entries of a vector to raise in a store of this epoch.
    package init(_ vector: VersionVector, epoch: StoreEpoch) {
        self.init()
        self.epoch = Data(epoch.bytes)
        self.vector = [WireVectorEntry](vector)
    }

    package func value() throws(WireError) -> (epoch: StoreEpoch, vector: VersionVector) {
        guard let epoch = StoreEpoch(Array(epoch)) else { throw .malformed }
        return (epoch, try vector.vector())
    }
}

extension Array where Element == WireVectorEntry {
    package init(_ vector: VersionVector) {
        self = vector.entries.map { entry in
            var message = WireVectorEntry()
            message.actor = entry.actor.rawValue
            message.counter = entry.counter
            return message
        }
    }

    package func vector() throws(WireError) -> VersionVector {
        VersionVector(
            try map { entry throws(WireError) in
                (actor: ActorID(rawValue: entry.actor), counter: try entry.counter.counted())
            }
        )
    }
}

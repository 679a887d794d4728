internal import KSRecords
internal import KSResolution
internal import KSSealing

// Step 10: opens siblings, and quarantines those that do not open or belong to another record.

extension Replica {
    /// The result of opening a sibling.
    enum Opened {
        case state(ItemState)
        case quarantined(QuarantineReason)
    }

    /// - Throws: ``SealingError/classLocked(_:)``.
    func open(_ envelope: Envelope, of record: RecordID) throws(SealingError) -> Opened {
        guard envelope.recordID == record else { return .quarantined(.wrongRecord) }
        // Only a newer program knows this kind.
        guard let store = stores[envelope.kind] else { return .quarantined(.newerFormat) }
        let text: [UInt8]
        do throws(SealingError) {
            text = try keys.cipher.open(envelope)
        } catch .classLocked(let locked) {
            throw .classLocked(locked)
        } catch {
            return .quarantined(QuarantineReason(error))
        }
        let state: ItemState
        do throws(RecordsError) {
            state = try ItemState(decoding: text)
        } catch {
            if case .formatTooNew = error { return .quarantined(.newerFormat) }
            return .quarantined(.malformed)
        }
        // The server chose the record; only the sealed content proves where the sibling belongs.
        guard let entry = type(of: store).entry(of: state) else { return .quarantined(.malformed) }
        guard keys.keyRing.recordID(of: entry, kind: envelope.kind) == record else {
            return .quarantined(.wrongRecord)
        }
        guard envelope.isTombstone == !state.isAlive else { return .quarantined(.wrongFlag) }
        return .state(state)
    }
}

extension QuarantineReason {
    fileprivate init(_ error: SealingError) {
        switch error {
        case .updateThisClient: self = .newerFormat
        case .formatTooOld, .generationRetired, .beyondClosingVector: self = .retired
        case .generationUnknown: self = .keyMissing
        default: self = .notAuthentic
        }
    }
}

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
    func open(_ envelope: Envelope, of record: RecordID) throws -> Opened {
        guard envelope.recordID == record else { return .quarantined(.wrongRecord) }
        // Only a newer program knows this kind.
        guard let store = stores[envelope.kind] else { return .quarantined(.newerFormat) }
        let state: ItemState
        do {
            state = try ItemState(decoding: keys.cipher.open(envelope))
        } catch let error as SealingError {
            if case .classLocked = error { throw error }
            return .quarantined(QuarantineReason(error))
        } catch RecordsError.formatTooNew {
            return .quarantined(.newerFormat)
        } catch {
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

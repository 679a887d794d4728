internal import KSRecords
internal import KSResolution
internal import KSSealing

// Step 10: opens siblings, and quarantines those that do not open or belong to another record.

extension Replica {
    /// The sibling's state, or why it is quarantined.
    ///
    /// - Throws: ``SealingError/classLocked(_:)``.
    func open(
        _ envelope: Envelope,
        of record: RecordID
    ) throws -> Result<ItemState, QuarantineReason> {
        guard envelope.recordID == record else { return .failure(.wrongRecord) }
        // Only a newer program knows this kind.
        guard let store = stores[envelope.kind] else { return .failure(.newerFormat) }
        let state: ItemState
        do {
            state = try ItemState(decoding: keys.cipher.open(envelope))
        } catch let error as SealingError {
            if case .classLocked = error { throw error }
            return .failure(QuarantineReason(error))
        } catch RecordsError.formatTooNew {
            return .failure(.newerFormat)
        } catch {
            return .failure(.malformed)
        }
        // The server chose the record; only the sealed content proves where the sibling belongs.
        guard let entry = type(of: store).entry(of: state) else { return .failure(.malformed) }
        guard keys.keyRing.recordID(of: entry, kind: envelope.kind) == record else {
            return .failure(.wrongRecord)
        }
        guard envelope.isTombstone == !state.isAlive else { return .failure(.wrongFlag) }
        return .success(state)
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

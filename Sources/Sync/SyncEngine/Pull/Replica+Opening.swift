internal import GRDB
internal import KSCausality
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
        of record: RecordID,
        in database: Database
    ) throws -> Result<RecordState, QuarantineReason> {
        guard envelope.recordID == record else { return .failure(.wrongRecord) }
        // Only a newer program knows this kind.
        guard let store = stores[envelope.kind] else { return .failure(.newerFormat) }
        let state: RecordState
        do {
            let text = try keys.cipher.open(envelope)
            // The server checks the box, which may be padded to twice as much.
            guard text.count <= envelope.kind.textBytesMax else { return .failure(.tooLarge) }
            state = try RecordState(decoding: text)
        } catch let error as SealingError {
            if case .classLocked = error { throw error }
            return .failure(QuarantineReason(error))
        } catch RecordsError.formatTooNew {
            return .failure(.newerFormat)
        } catch RecordsError.tooLarge {
            return .failure(.tooLarge)
        } catch {
            return .failure(.malformed)
        }
        if let refusal = try refusal(of: state, in: envelope, for: store, database) {
            return .failure(refusal)
        }
        return .success(state)
    }

    private func refusal<Store: SyncedStore>(
        of state: RecordState,
        in envelope: Envelope,
        for store: Store,
        _ database: Database
    ) throws -> QuarantineReason? {
        // The server chose the record; only the sealed content proves where the sibling belongs.
        guard let entry = Store.entry(of: state) else {
            // A bare deletion names no entry. The member who sealed it named the record.
            guard envelope.isTombstone, state.isBare else { return .malformed }
            return state.isWithinBounds ? nil : .tooLarge
        }
        guard keys.keyRing.recordID(of: entry, kind: envelope.kind) == envelope.recordID else {
            return .wrongRecord
        }
        guard envelope.isTombstone == !state.isAlive else { return .wrongFlag }
        guard state.isWithinBounds else { return .tooLarge }
        let hasRoom = try !state.isAlive || store.hasRoom(for: entry, in: database)
        return hasRoom ? nil : .tooLarge
    }

    /// Quarantines those of a record's siblings for which the device has no room.
    ///
    /// The smaller ones come first: a large one that somebody made to exhaust the devices must not
    /// displace the others. Every device chooses the same.
    func fitting(_ siblings: [OpenedSibling]) -> [OpenedSibling] {
        var siblings = siblings
        let states = siblings.compactMap(\.state)
        // Nearly always: the join of all cannot be larger than they are together.
        let isCertain =
            states.reduce(0) { $0 + $1.stampCount } <= StateBounds.living.stampsMax
            && states.reduce(0) { $0 + $1.valueCount } <= StateBounds.living.valuesMax
        guard !isCertain else { return siblings }
        let sizes = siblings.map { $0.state.map { $0.stampCount + $0.valueCount } ?? 0 }
        var joined = RecordState()
        let bySize = siblings.indices.sorted {
            (sizes[$0], siblings[$0].envelope.dot) < (sizes[$1], siblings[$1].envelope.dot)
        }
        for index in bySize {
            guard let state = siblings[index].state else { continue }
            let next = joined.joined(with: state)
            if next.isWithinBounds {
                joined = next
            } else {
                siblings[index].opened = .failure(.tooLarge)
            }
        }
        return siblings
    }
}

/// A sibling's envelope, and the result of opening it.
struct OpenedSibling {
    let envelope: Envelope
    var opened: Result<RecordState, QuarantineReason>

    var state: RecordState? {
        if case .success(let state) = opened { state } else { nil }
    }
    var row: MirrorRow.Sibling {
        .init(envelope, isOpened: state != nil)
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

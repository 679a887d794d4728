internal import KSKeyValues
internal import KSRecords
internal import KSSyncEngine

// What copies of devices have still to send of key-value entries, and what is lost with a disk.

/// The writes of one key that a device has still to send, by their numbers.
struct UnsentKeyValues {
    /// Those that no batch holds.
    var edit: [Int] = []
    /// Those in the batch under way, and the entry's box in it.
    var batch: (box: Hash, numbers: [Int])?
}

extension World {
    private static func oracle(of key: String) -> ReferenceWritableKeyPath<World, KeyValueOracle> {
        key == clashKey ? \.clashOracle : \.keyValueOracle
    }

    /// Notes the writes of a program on a device.
    func noteUnsent(_ numbers: Range<Int>, of key: String, on device: SimulatedDevice) throws {
        guard settings.looksAtUnsentKeyValues, !numbers.isEmpty else { return }
        var part = copies.keyValues[device.index]?[key] ?? UnsentKeyValues()
        // The batch under way was sealed before this write. It may hold what the oracle does not
        // number, such as the move of a list's element.
        if part.batch == nil, let box = try device.boxesOnTheirWay(of: [key])[key] {
            part = UnsentKeyValues(batch: (box, part.edit))
        }
        part.edit += numbers
        copies.keyValues[device.index, default: [:]][key] = part
    }

    /// Notes that a device will not send some of what it has still to send of a key.
    func dropUnsent(
        of key: String,
        on device: SimulatedDevice,
        _ isDropped: (Int) -> Bool
    ) {
        guard var part = copies.keyValues[device.index]?[key] else { return }
        self[keyPath: Self.oracle(of: key)].exemptions.noteLost(part.edit.filter(isDropped))
        part.edit.removeAll(where: isDropped)
        copies.keyValues[device.index]?[key] = part
    }

    /// Both copies send what is in no batch.
    func noteClone(_ clone: SimulatedDevice, of device: SimulatedDevice) {
        let unsent = copies.keyValues[device.index] ?? [:]
        copies.keyValues[clone.index] = unsent
        for (key, part) in unsent {
            self[keyPath: Self.oracle(of: key)].exemptions.noteRepeated(part.edit)
        }
    }

    /// A device has again to send what it had when its database was copied.
    func notePutBack(_ kept: [String: UnsentKeyValues], on device: SimulatedDevice) {
        let before = copies.keyValues[device.index] ?? [:]
        copies.keyValues[device.index] = kept
        for key in Set(before.keys).union(kept.keys) {
            let old = before[key] ?? UnsentKeyValues()
            var exemptions = self[keyPath: Self.oracle(of: key)].exemptions
            // These edits were in no batch when the copy was made. The device has put them into
            // one since, which the server may have accepted; now it sends them again.
            let again = Set(kept[key]?.edit ?? []).subtracting(old.edit)
            exemptions.noteRepeated(again)
            var lost = Set(old.edit)
            if let batch = old.batch {
                if server.hasTaken(batch.box) {
                    exemptions.noteSent(batch.numbers)
                } else {
                    lost.formUnion(batch.numbers)
                }
            }
            for held in copies.keyValues.values.compactMap({ $0[key] }) {
                lost.subtract(held.edit)
                lost.subtract(held.batch?.numbers ?? [])
            }
            exemptions.noteLost(lost)
            self[keyPath: Self.oracle(of: key)].exemptions = exemptions
        }
    }

    /// Detects what a device has sealed, and which batches were accepted or taken apart.
    package func lookAtKeyValues(_ device: SimulatedDevice) throws {
        guard settings.looksAtUnsentKeyValues, let unsent = copies.keyValues[device.index] else {
            return
        }
        let boxes = try device.boxesOnTheirWay(of: unsent.keys)
        for (key, old) in unsent {
            var part = old
            if let batch = old.batch, batch.box != boxes[key] {
                part.batch = nil
                if server.hasTaken(batch.box) {
                    self[keyPath: Self.oracle(of: key)].exemptions.noteSent(batch.numbers)
                } else {
                    part.edit = batch.numbers + part.edit
                    noteTakenApart(batch, of: key)
                    try spoilIncrements(batch.numbers, of: key, on: device)
                }
            }
            if let box = boxes[key], part.batch == nil {
                part = UnsentKeyValues(batch: (box, part.edit))
            }
            copies.keyValues[device.index]?[key] = part
        }
    }

    /// A batch that several copies had under way is sent again by each that takes it apart.
    private func noteTakenApart(_ batch: (box: Hash, numbers: [Int]), of key: String) {
        copies.takenApart[batch.box, default: 0] += 1
        if copies.takenApart[batch.box, default: 0] > 1 {
            self[keyPath: Self.oracle(of: key)].exemptions.noteRepeated(batch.numbers)
        }
    }
}

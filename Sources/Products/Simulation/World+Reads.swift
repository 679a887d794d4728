internal import KSKeyValues
internal import KSKeychain
internal import KSRecords
internal import KSResolution
internal import KSSyncEngine

// What must be true in the middle of a world: what users read, and what goes up together.

/// What the users of devices have read or written.
struct Reads {
    /// By device and item, the secrets that are older than one which its user has seen.
    var older: [Int: [Int: Set<Int>]] = [:]
    /// By device, the values of the register that are older than one which its programs have seen.
    var olderValues: [Int: Set<Int>] = [:]
}

/// A rename on a device whose halves the server must get in one batch.
struct OpenRename {
    let device: Int
    let item: Int
    let target: Int
    /// The first box of a batch that was sealed before the rename, or that has both halves.
    var ignored: Hash?

    init(device: Int, _ item: Int, _ target: Int, ignoring box: Hash?) {
        (self.device, self.item, self.target, ignored) = (device, item, target, box)
    }
}

extension World {
    /// Whether users may expect to read nothing older than before.
    ///
    /// A copy of a device shows what its disk had, and a device that returns what the account has.
    private var looksAtReads: Bool {
        !settings.isStory && !settings.looksAtUnsentKeyValues && settings.sweepProbability == 0
    }

    /// Notes that a user wrote, or reads, a secret.
    func noteRead(of number: Int, item: Int, on device: SimulatedDevice) {
        guard looksAtReads else { return }
        reads.older[device.index, default: [:]][item, default: []]
            .formUnion(oracle.writes[number].past)
    }

    /// Notes that a user sees an item no more: if another device's edit brings it back, it has the
    /// secret of that device.
    func noteAbsence(of item: Int, on device: SimulatedDevice) {
        reads.older[device.index]?[item] = nil
    }

    /// Checks what a device shows of items, and of the register.
    func lookAtReads(on device: SimulatedDevice) throws {
        guard looksAtReads, !device.isLocked else { return }
        let contents = try device.contents()
        for item in 0..<settings.itemCount {
            let shown = contents[SimulatedDevice.key(item: item).canonicalBytes]?.secret
            if shown == nil { noteAbsence(of: item, on: device) }
            guard let number = shown.flatMap(Oracle.number), oracle.isOnlyIn(item, number) else {
                continue
            }
            if reads.older[device.index]?[item]?.contains(number) == true {
                throw WorldFailure.wentBack(device: device.index, write: number)
            }
            noteRead(of: number, item: item, on: device)
        }
        try lookAtRegister(on: device)
    }

    private func lookAtRegister(on device: SimulatedDevice) throws {
        guard mergeTypes.contains(.register),
            let value = try device.value(of: .register),
            let number = keyValueOracle.numbers(of: value, .register).first
        else { return }
        if reads.olderValues[device.index]?.contains(number) == true {
            throw WorldFailure.wentBack(device: device.index, write: number)
        }
        reads.olderValues[device.index, default: []].formUnion(keyValueOracle.past(of: number))
    }

    // MARK: Renames

    /// Forgets renames of which a user has changed one half.
    func closeRenames(of items: Set<Int>, on device: SimulatedDevice) {
        openRenames.removeAll {
            $0.device == device.index && (items.contains($0.item) || items.contains($0.target))
        }
    }

    /// Checks that a batch has both halves of a rename, or none.
    ///
    /// Behind a proxy that refuses large requests, the new item may go first.
    func lookAtRenames(in request: NextRequest, of device: SimulatedDevice) throws {
        guard !openRenames.isEmpty, !settings.isStory, settings.proxyBytesMax == nil,
            !device.isLocked, case .send(let numbered) = request,
            case .push(let batch, _) = numbered.request,
            let box = batch.envelopes.first?.boxHash
        else { return }
        let records = Set(batch.envelopes.map(\.recordID))
        for (index, rename) in openRenames.enumerated().reversed()
        where rename.device == device.index && rename.ignored != box {
            let halves = [rename.item, rename.target].filter {
                records.contains(device.id(item: $0))
            }
            if halves.count == 2 {
                openRenames[index].ignored = box
                continue
            }
            if let ignored = rename.ignored, servers.contains(where: { $0.hasTaken(ignored) }) {
                openRenames.remove(at: index)
                continue
            }
            guard let half = halves.first else { continue }
            let other = half == rename.item ? rename.target : rename.item
            if try device.record(item: other).edit != nil {
                throw WorldFailure.renameSplit(device: device.index)
            }
            openRenames.remove(at: index)
        }
    }

    // MARK: Events

    /// Lets a user write once more, and checks that all devices hear of it without asking.
    func lookAtEvents() throws {
        let device = devices[oracle.nextNumber % devices.count]
        try edit(0, on: device)
        try poll(device)
        while let next = events.next() {
            try step(next)
            noteWatched()
        }
        let seq = try server.newestSeq()
        for device in devices where try device.replica.state().cursor?.seq != seq {
            throw WorldFailure.notHeard(device: device.index)
        }
        try expectRest()
    }
}

/// A file of a simulated disk.
@safe
final class DiskFile {
    /// A change that was not synced, and what it takes to undo it.
    private struct Change {
        let offset: Int
        let count: Int
        /// The bytes that were there, and the size of the file.
        let before: [UInt8]
        let sizeBefore: Int
    }

    /// What a disk writes as a whole, in bytes.
    private static let sectorBytes = 512

    private unowned let disk: SimulatedDisk
    private(set) var bytes: [UInt8]
    private var changes: [Change] = []
    /// The index of a database's log, which the connections of its machine share.
    private var sharedRegions: [UnsafeMutableRawBufferPointer] = unsafe []
    /// Whether the power has failed since it was opened.
    var isLost = false

    init(on disk: SimulatedDisk, _ bytes: [UInt8] = []) {
        (self.disk, self.bytes) = (disk, bytes)
    }

    deinit { freeShared() }

    // MARK: Reading and writing

    /// Copies what there is to a buffer, and zeros where the file ends before.
    ///
    /// - Throws: ``SimulatedDisk/Trouble/off``.
    /// - Returns: whether the file was long enough.
    func read(
        _ buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(SimulatedDisk.Trouble) -> Bool {
        try checkPower()
        let count = max(0, min(buffer.count, bytes.count - offset))
        unsafe bytes.withUnsafeBytes { bytes in
            guard count > 0 else { return }
            unsafe buffer.copyMemory(from: .init(rebasing: bytes[offset..<offset + count]))
        }
        guard count < buffer.count else { return true }
        for index in count..<buffer.count { unsafe buffer[index] = 0 }
        return false
    }

    func write(
        _ buffer: UnsafeRawBufferPointer,
        at offset: Int
    ) throws(SimulatedDisk.Trouble) {
        try checkPower()
        try disk.noteWrite()
        let end = offset + buffer.count
        note(offset, end: end)
        if end > bytes.count {
            bytes.append(contentsOf: repeatElement(0, count: end - bytes.count))
        }
        unsafe bytes.withUnsafeMutableBytes { bytes in
            unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<end])
                .copyMemory(from: buffer)
        }
        try checkPower()
    }

    func truncate(to size: Int) throws(SimulatedDisk.Trouble) {
        try checkPower()
        try disk.noteWrite()
        guard size < bytes.count else { return }
        note(size, end: bytes.count)
        bytes.removeLast(bytes.count - size)
        try checkPower()
    }

    func sync() throws(SimulatedDisk.Trouble) {
        try checkPower()
        if !disk.forgetsSyncs { changes.removeAll(keepingCapacity: true) }
    }

    private func checkPower() throws(SimulatedDisk.Trouble) {
        guard !isLost, !disk.isOff else { throw .off }
    }

    private func note(_ offset: Int, end: Int) {
        let before = Array(bytes[min(offset, bytes.count)..<min(end, bytes.count)])
        changes.append(
            Change(
                offset: offset,
                count: end - offset,
                before: before,
                sizeBefore: bytes.count
            )
        )
    }

    /// Other contents, as if they had been there at the start of the machine.
    func replace(with bytes: [UInt8]) {
        self.bytes = bytes
        changes.removeAll(keepingCapacity: true)
        // An index of zeros is made again from the log.
        for index in unsafe sharedRegions.indices {
            unsafe sharedRegions[index].initializeMemory(as: UInt8.self, repeating: 0)
        }
    }

    // MARK: Power failures

    /// What is left of the file if the power fails now: nothing of what was not synced, all of it,
    /// or some of its sectors.
    func survivors(using random: inout SimulationGenerator) -> [UInt8] {
        guard !changes.isEmpty else { return bytes }
        var synced = bytes
        for change in changes.reversed() {
            synced.removeLast(max(0, synced.count - change.sizeBefore))
            synced += repeatElement(0, count: change.sizeBefore - synced.count)
            synced.replaceSubrange(
                change.offset..<change.offset + change.before.count,
                with: change.before
            )
        }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return synced
        case 1: return bytes
        default: return torn(over: synced, using: &random)
        }
    }

    private func torn(
        over synced: [UInt8],
        using random: inout SimulationGenerator
    ) -> [UInt8] {
        var torn = synced
        let sectors = Set(
            changes.flatMap { change in
                change.offset / Self.sectorBytes..<(change.offset + change.count - 1)
                    / Self.sectorBytes + 1
            }
        )
        for sector in sectors.sorted() where random.chance(0.5) {
            let start = sector * Self.sectorBytes
            let end = min(start + Self.sectorBytes, bytes.count)
            guard start < end else { continue }
            torn += repeatElement(0, count: max(0, end - torn.count))
            torn.replaceSubrange(start..<end, with: bytes[start..<end])
        }
        return torn
    }

    // MARK: Shared memory

    /// A part of the memory that the connections of the machine share; nil if it is not there and
    /// not wanted.
    func sharedRegion(
        _ index: Int,
        byteCount: Int,
        isWanted: Bool
    ) -> UnsafeMutableRawBufferPointer? {
        while isWanted, unsafe sharedRegions.count <= index {
            let region = UnsafeMutableRawBufferPointer.allocate(
                byteCount: byteCount,
                alignment: 16
            )
            unsafe region.initializeMemory(as: UInt8.self, repeating: 0)
            unsafe sharedRegions.append(region)
        }
        return unsafe index < sharedRegions.count ? sharedRegions[index] : nil
    }

    func freeShared() {
        for index in unsafe sharedRegions.indices { unsafe sharedRegions[index].deallocate() }
        unsafe sharedRegions.removeAll()
    }
}

internal import KSSealing
package import KSDigests
internal import KSFiles
package import KSPrimitives
internal import KSRecords

/// Byte strings in a file under a passphrase, to be read on another device.
package enum BackupFile {
    /// The bytes of text in a part, fewer in the last one; a full box is slightly over 256 KiB.
    static let partBytes = (256 << 10) - 8
    private static let boxBytesMax = (256 << 10) + SealedBox.addedByteCount

    /// Writes a new file, whole and durable when it returns.
    ///
    /// `cost`: only tests pass another one.
    package static func write(
        _ entries: [[UInt8]],
        to path: String,
        passphrase: [UInt8],
        random: any RandomSource,
        cost: ScryptCost = .k1
    ) throws {
        let header = try BackupHeader(passphrase: passphrase, cost: cost, random: random)
        var encoder = CanonicalEncoder()
        encoder.list(entries) { $0.bytes($1) }
        let text = encoder.encoded
        let key = BoxKey(header.key)
        var file = try ReplacementFile(for: path, replaces: false)
        try file.write(header.encoded)
        var number: UInt64 = 0
        for start in stride(from: 0, to: max(text.count, 1), by: partBytes) {
            let end = min(start + partBytes, text.count)
            let box = key.seal(
                Array(text[start..<end]),
                purpose: .backup,
                context: context(header, number, isLast: end == text.count),
                random: random
            )
            var frame = CanonicalEncoder()
            frame.bytes(box)
            try file.write(frame.encoded)
            number += 1
        }
        try file.finish(permissions: 0o600)
    }

    /// Reads a file back.
    ///
    /// Reads only the header until it is known that the file is a backup of this passphrase.
    package static func read(
        _ path: String,
        passphrase: [UInt8],
        cost: ScryptCost = .k1
    ) throws -> [[UInt8]] {
        let file = try OpenFile.reading(regular: path)
        let header = try BackupHeader(
            decoding: try file.read(BackupHeader.byteCount),
            passphrase: passphrase,
            cost: cost
        )
        let key = BoxKey(header.key)
        var text: [UInt8] = []
        var number: UInt64 = 0
        guard var box = try file.box(bytesMax: boxBytesMax) else { throw BackupError.notAuthentic }
        while true {
            let next = try file.box(bytesMax: boxBytesMax)
            do {
                let context = context(header, number, isLast: next == nil)
                text += try key.open(box, purpose: .backup, context: context)
            } catch {
                throw BackupError.notAuthentic
            }
            guard let next else { break }
            box = next
            number += 1
        }
        do {
            var decoder = CanonicalDecoder(text)
            let entries = try decoder.list { decoder throws(RecordsError) in try decoder.bytes() }
            try decoder.end()
            return entries
        } catch {
            throw BackupError.notAuthentic
        }
    }

    private static func context(_ header: BackupHeader, _ number: UInt64, isLast: Bool) -> [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.bytes(header.backupID)
        encoder.integer(number)
        encoder.boolean(isLast)
        return encoder.encoded
    }
}

extension OpenFile {
    /// The next box; nil at the end.
    fileprivate borrowing func box(bytesMax: Int) throws -> [UInt8]? {
        let frame = try read(8)
        guard !frame.isEmpty else { return nil }
        let count = frame.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard frame.count == 8, count <= UInt64(bytesMax) else { throw BackupError.notAuthentic }
        let box = try read(Int(count))
        guard box.count == Int(count) else { throw BackupError.notAuthentic }
        return box
    }
}

package import KSDigests
package import KSPrimitives
internal import KSRecords
internal import KSSecrets

/// Byte strings in a file under a passphrase, to be read on another device.
package enum BackupFile {
    /// What a part holds of the text, the last one less; its box is then 256 KiB and a little.
    static let partBytes = (256 << 10) - 8
    private static let boxBytesMax = (256 << 10) + SealedBox.addedByteCount

    /// Writes a new file, whole and durable when it returns.
    ///
    /// `cost`: another one only in tests.
    package static func write(
        _ entries: [[UInt8]],
        to path: String,
        passphrase: [UInt8],
        random: any RandomSource,
        cost: ScryptCost = .k1
    ) throws(BackupError) {
        let header = try BackupHeader(passphrase: passphrase, cost: cost, random: random)
        var encoder = CanonicalEncoder()
        encoder.list(entries) { $0.bytes($1) }
        let text = encoder.encoded
        let key = BoxKey(header.key)
        do throws(ProtectedFileError) {
            var file = try ReplacementFile(for: path, replaces: false, random: random)
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
        } catch {
            throw BackupError(error)
        }
    }

    /// Reads a file back.
    ///
    /// Not a byte more is read than what is there is known to be a backup of this passphrase.
    package static func read(
        _ path: String,
        passphrase: [UInt8],
        cost: ScryptCost = .k1
    ) throws(BackupError) -> [[UInt8]] {
        let reader = try BackupReader(path)
        let header = try BackupHeader(
            decoding: try reader.bytes(BackupHeader.byteCount),
            passphrase: passphrase,
            cost: cost
        )
        let key = BoxKey(header.key)
        var text: [UInt8] = []
        var number: UInt64 = 0
        guard var box = try reader.box(bytesMax: boxBytesMax) else { throw .notAuthentic }
        while true {
            let next = try reader.box(bytesMax: boxBytesMax)
            do {
                let context = context(header, number, isLast: next == nil)
                text += try key.open(box, purpose: .backup, context: context)
            } catch {
                throw .notAuthentic
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
            throw .notAuthentic
        }
    }

    private static func context(
        _ header: BackupHeader,
        _ number: UInt64,
        isLast: Bool
    ) -> [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.bytes(header.backupID)
        encoder.integer(number)
        encoder.boolean(isLast)
        return encoder.encoded
    }
}

/// A backup's file from its beginning on, a part at a time.
private struct BackupReader: ~Copyable {
    private let file: OpenFile

    init(_ path: String) throws(BackupError) {
        file = try Self.open(path)
    }

    private static func open(_ path: String) throws(BackupError) -> OpenFile {
        do throws(ProtectedFileError) {
            return try OpenFile.reading(path)
        } catch {
            throw BackupError(error)
        }
    }

    /// Up to this many bytes, fewer only at the end.
    func bytes(_ count: Int) throws(BackupError) -> [UInt8] {
        do throws(ProtectedFileError) {
            return try file.read(count)
        } catch {
            throw BackupError(error)
        }
    }

    /// The next box; nil at the end.
    func box(bytesMax: Int) throws(BackupError) -> [UInt8]? {
        let frame = try bytes(8)
        guard !frame.isEmpty else { return nil }
        let count = frame.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard frame.count == 8, count <= UInt64(bytesMax) else { throw .notAuthentic }
        let box = try bytes(Int(count))
        guard box.count == Int(count) else { throw .notAuthentic }
        return box
    }
}

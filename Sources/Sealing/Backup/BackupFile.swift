package import Digests
package import Primitives
internal import Records
internal import Secrets

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
    package static func read(
        _ path: String,
        passphrase: [UInt8],
        cost: ScryptCost = .k1
    ) throws(BackupError) -> [[UInt8]] {
        let parts = try readParts(path)
        let header = try BackupHeader(
            decoding: parts.header,
            passphrase: passphrase,
            cost: cost
        )
        let key = BoxKey(header.key)
        var text: [UInt8] = []
        for (number, box) in parts.boxes.enumerated() {
            let isLast = number == parts.boxes.count - 1
            do {
                text += try key.open(
                    box,
                    purpose: .backup,
                    context: context(header, UInt64(number), isLast: isLast)
                )
            } catch {
                throw .notAuthentic
            }
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

    private static func readParts(
        _ path: String
    ) throws(BackupError) -> (header: [UInt8], boxes: [[UInt8]]) {
        do throws(ProtectedFileError) {
            let file = try OpenFile.reading(path)
            let header = try file.read(BackupHeader.byteCount)
            var boxes: [[UInt8]] = []
            while case let frame = try file.read(8), !frame.isEmpty {
                let count = frame.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                guard frame.count == 8, count <= UInt64(boxBytesMax) else { throw .notAuthentic }
                let box = try file.read(Int(count))
                guard box.count == Int(count) else { throw .notAuthentic }
                boxes.append(box)
            }
            guard header.starts(with: BackupHeader.magic) else { return (header, []) }
            guard !boxes.isEmpty else { throw .notAuthentic }
            return (header, boxes)
        } catch {
            throw BackupError(error)
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

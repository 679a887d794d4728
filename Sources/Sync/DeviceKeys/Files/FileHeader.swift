internal import KSDigests
internal import KSRecords

/// What a protected file begins with: how it is protected, and its sealed key.
struct FileHeader: Equatable {
    static let idByteCount = 16
    private static let label = "protected file"
    private static let format: UInt64 = 1
    /// No header is longer.
    static let byteCountMax = 2048

    let deviceID: [UInt8]
    let fileID: [UInt8]
    let level: FileClass
    let sealedKey: [UInt8]

    /// How every protected file begins.
    static let magic = CanonicalEncoder(label: label).encoded

    /// E("protected file"; format, device id, file id, level, sealed key), without its length.
    private var fields: [UInt8] {
        var encoder = CanonicalEncoder(label: Self.label)
        encoder.integer(Self.format)
        encoder.bytes(deviceID)
        encoder.bytes(fileID)
        encoder.integer(level.rawValue)
        encoder.bytes(sealedKey)
        return encoder.encoded
    }

    /// The fields, then their SHA-256, so that a changed header is not taken for another device's.
    var encoded: [UInt8] { fields + SHA256.hash(fields) }

    /// Reads a header from the beginning of a file.
    ///
    /// - Returns: the header, and how many bytes it took.
    static func decode(
        _ bytes: [UInt8]
    ) throws(ProtectedFileError) -> (header: FileHeader, byteCount: Int) {
        guard bytes.starts(with: magic) else { throw .notProtected }
        do {
            // The last field ends the header: where it ends is known only when it is read.
            var decoder = try CanonicalDecoder(bytes, label: label)
            try decoder.formatNumber(upTo: Self.format)
            let deviceID = try decoder.bytes(count: DeviceSecretFile.deviceIDByteCount)
            let fileID = try decoder.bytes(count: idByteCount)
            guard let level = FileClass(rawValue: try decoder.integer()) else {
                throw RecordsError.malformed
            }
            let header = FileHeader(
                deviceID: deviceID,
                fileID: fileID,
                level: level,
                sealedKey: try decoder.bytes()
            )
            let encoded = header.encoded
            guard bytes.starts(with: encoded) else { throw RecordsError.malformed }
            return (header, encoded.count)
        } catch RecordsError.formatTooNew(let format) {
            throw .updateThisClient(format: format)
        } catch {
            throw .notAuthentic
        }
    }
}

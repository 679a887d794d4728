internal import KSSealing
internal import KSDigests
internal import KSPrimitives
internal import KSRecords
internal import KSSecrets

/// Seals a file's contents in chunks: their order and the end are part of the seal.
///
/// After Hoang, Reyhanitabar, Rogaway and Vizár, "Online Authenticated-Encryption and its
/// Nonce-Reuse Misuse-Resistance" (2015), STREAM. The nonce is the chunk's number, then whether it
/// is the last; the key is used for one file and one header.
struct FileCipher {
    /// How many bytes of the file a chunk holds; the last one may hold fewer.
    ///
    /// Only an empty file has an empty chunk.
    static let chunkBytes = 64 << 10
    static let sealedChunkBytes = chunkBytes + AES256GCM.tagByteCount

    private let key: SharedSecret
    private var number: UInt64 = 0

    init(fileKey: SharedSecret, header: FileHeader) {
        var encoder = CanonicalEncoder(label: "file content")
        encoder.bytes(SHA256.hash(header.encoded))
        key = HKDF.expand(key: fileKey, info: encoder.encoded, count: AES256GCM.keyByteCount)
    }

    mutating func seal(_ chunk: [UInt8], isLast: Bool) -> [UInt8] {
        let nonce = nextNonce(isLast: isLast)
        return AES256GCM.seal(chunk, key: key, nonce: nonce, associatedData: [])
    }

    mutating func open(_ sealed: [UInt8], isLast: Bool) throws(ProtectedFileError) -> [UInt8] {
        let nonce = nextNonce(isLast: isLast)
        let isFirst = number == 1
        let chunk: [UInt8]
        do {
            chunk = try AES256GCM.open(sealed, key: key, nonce: nonce, associatedData: [])
        } catch {
            throw .notAuthentic
        }
        // Sealing never makes such an empty chunk, so that each file has one sealed form.
        guard !chunk.isEmpty || isFirst else { throw .notAuthentic }
        return chunk
    }

    private mutating func nextNonce(isLast: Bool) -> [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.integer(number)
        number += 1
        return [0, 0, 0] + encoder.encoded + [isLast ? 1 : 0]
    }
}

extension LocalKeyFile {
    /// Begins a protected file.
    ///
    /// `contentHash`: a hash of the contents to be sealed. Other contents give another key, so that
    /// two copies of a machine that draw the same random bytes never seal two texts with the same
    /// key.
    func fileHeader(
        _ level: FileClass,
        contentHash: [UInt8],
        random: any RandomSource
    ) throws(ProtectedFileError) -> (header: FileHeader, key: SharedSecret) {
        let fileID = random.bytes(FileHeader.idByteCount)
        let drawn = HMACKey(SharedSecret.random(from: random))
        let fileKey = SharedSecret(bytes: drawn.authenticate(contentHash))
        let sealedKey: [UInt8]
        do {
            if level == .completeUnlessOpen {
                sealedKey = try HPKE.seal(
                    fileKey.copyBytes(),
                    to: filePublicKey,
                    psk: nil,
                    info: Self.agreementInfo(fileID),
                    ephemeralKey: HPKE.EphemeralKey(random: random)
                )
            } else {
                sealedKey = try classKey(level.protectionClass).box.seal(
                    fileKey.copyBytes(),
                    purpose: .fileKey,
                    context: context(fileID, level),
                    random: random
                )
            }
        } catch {
            throw .locked
        }
        let header = FileHeader(
            deviceID: deviceID,
            fileID: fileID,
            level: level,
            sealedKey: sealedKey
        )
        return (header, fileKey)
    }

    func fileKey(of header: FileHeader) throws(ProtectedFileError) -> SharedSecret {
        guard header.deviceID == deviceID else { throw .otherDevice }
        let classKey: ClassKey
        do {
            classKey = try self.classKey(header.level.protectionClass)
        } catch {
            throw .locked
        }
        let bytes: [UInt8]
        do {
            if header.level == .completeUnlessOpen {
                bytes = try HPKE.open(
                    header.sealedKey,
                    with: FileAgreement.key(classKey.secret),
                    psk: nil,
                    info: Self.agreementInfo(header.fileID)
                )
            } else {
                bytes = try classKey.box.open(
                    header.sealedKey,
                    purpose: .fileKey,
                    context: context(header.fileID, header.level)
                )
            }
        } catch {
            throw .notAuthentic
        }
        guard bytes.count == 32 else { throw .notAuthentic }
        return SharedSecret(bytes: bytes)
    }

    private static func agreementInfo(_ fileID: [UInt8]) -> [UInt8] {
        var encoder = CanonicalEncoder(label: "file")
        encoder.bytes(fileID)
        return encoder.encoded
    }

    private func context(_ fileID: [UInt8], _ level: FileClass) -> [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.bytes(deviceID)
        encoder.bytes(fileID)
        encoder.integer(level.rawValue)
        return encoder.encoded
    }
}

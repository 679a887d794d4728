package import Digests
internal import Primitives
internal import Secrets

/// A device home's own keys: the device secret, the keys of the protection classes, and the pins.
package final class LocalKeyFile: Sendable {
    private let storage: any KeyFileStorage
    private let secret: DeviceSecretFile
    private let classKeys: [ProtectionClass: SharedSecret]

    private init(
        storage: any KeyFileStorage,
        secret: DeviceSecretFile,
        classKeys: [ProtectionClass: SharedSecret]
    ) {
        self.storage = storage
        self.secret = secret
        self.classKeys = classKeys
    }

    /// Opens the files of a home, or makes them.
    ///
    /// `mayCreate`: true only while the home holds nothing sealed yet (no database): then files
    /// that are missing, as after a crash half-way through the first start, are made. Otherwise a
    /// missing file is an error, because a new one would open nothing that is there.
    package static func open(
        storage: any KeyFileStorage,
        random: any RandomSource,
        mayCreate: Bool
    ) throws(SealingError) -> LocalKeyFile {
        let secret: DeviceSecretFile
        var bagBytes = try storage.read(.keyBag)
        if let bytes = try storage.read(.deviceSecret) {
            secret = try DeviceSecretFile(decoding: bytes)
        } else {
            guard mayCreate else { throw .keyFileMissing(.deviceSecret) }
            secret = .random(from: random)
            try storage.replace(.deviceSecret, with: secret.encoded)
            // One that is there was made for a secret that no longer exists.
            bagBytes = nil
        }
        let bag: KeyBag
        if let bagBytes {
            bag = try KeyBag(decoding: bagBytes)
        } else {
            guard mayCreate else { throw .keyFileMissing(.keyBag) }
            bag = .make(for: secret, random: random)
            try storage.replace(.keyBag, with: bag.encoded)
        }
        return LocalKeyFile(
            storage: storage,
            secret: secret,
            classKeys: try bag.open(with: secret)
        )
    }

    /// 16 bytes that name this home in what is sealed here.
    package var deviceID: [UInt8] { secret.deviceID }

    package func rowCipher(random: any RandomSource) -> RowCipher {
        RowCipher(keys: classKeys.mapValues(BoxKey.init), random: random)
    }

    /// The key by which values of one column can be looked up without being readable.
    ///
    /// `isAlwaysReadable`: for rows of the two Always classes, which have to be found before the
    /// first unlock.
    package func searchKey(
        table: String,
        column: String,
        isAlwaysReadable: Bool
    ) throws(SealingError) -> SearchKey {
        if isAlwaysReadable {
            return SearchKey(base: secret.key(of: .device), table: table, column: column)
        }
        guard let base = classKeys[.afterFirstUnlock] else {
            throw .classLocked(.afterFirstUnlock)
        }
        return SearchKey(base: base, table: table, column: column)
    }
}

// MARK: Pins

extension LocalKeyFile {
    /// The pinned copy beside the device secret; nil before anything was pinned.
    package func pins() throws(SealingError) -> DevicePins? {
        guard let bytes = try storage.read(.devicePins) else { return nil }
        return try DevicePins(decoding: bytes, key: secret.pinsKey)
    }

    /// Durable when it returns.
    package func savePins(_ pins: DevicePins) throws(SealingError) {
        try storage.replace(.devicePins, with: pins.encoded(secret.pinsKey))
    }
}

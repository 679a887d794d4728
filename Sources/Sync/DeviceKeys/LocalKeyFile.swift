package import KSSealing
package import KSDigests
package import KSPrimitives
internal import KSSecrets
internal import Synchronization

/// A device home's own keys: the device secret, the keys of the protection classes, and the pins.
///
/// Everything that seals with it looks its key up at each use, so that locking and unlocking take
/// effect at once.
package final class LocalKeyFile: Sendable {
    let storage: any KeyFileStorage
    let secret: DeviceSecretFile
    let random: any RandomSource
    let passcodeCost: ScryptCost
    private let state = Mutex(State())
    /// Held while the passcode is tried or changed, which takes long, and never for a look-up.
    let changing = Mutex<Void>(())

    /// What can be looked up now.
    struct State: Sendable {
        var lockState = LockState.beforeFirstUnlock
        var hasPasscode = false
        var filePublicKey: [UInt8] = []
        var keys: [ProtectionClass: ClassKey] = [:]
        /// Made at their first use: every search needs several.
        var searchKeys: [SearchColumn: SearchKey] = [:]
    }

    struct SearchColumn: Hashable {
        let table: String
        let column: String
        let isAlwaysReadable: Bool
    }

    private init(
        storage: any KeyFileStorage,
        secret: DeviceSecretFile,
        random: any RandomSource,
        passcodeCost: ScryptCost
    ) {
        self.storage = storage
        self.secret = secret
        self.random = random
        self.passcodeCost = passcodeCost
    }

    /// Opens the files of a home, or makes them.
    ///
    /// Without a passcode the device is unlocked then, with one it is as before the first unlock.
    ///
    /// `mayCreate`: true only while the home holds nothing sealed yet (no database): then files
    /// that are missing, as after a crash half-way through the first start, are made. Otherwise a
    /// missing file is an error, because a new one would open nothing that is there.
    /// `passcodeCost`: another one only in simulated devices and tests.
    package static func open(
        storage: any KeyFileStorage,
        random: any RandomSource,
        mayCreate: Bool,
        passcodeCost: ScryptCost = .k1
    ) throws(SealingError) -> LocalKeyFile {
        let secret: DeviceSecretFile
        var bagBytes = try storage.read(.keyBag)
        if let bytes = try storage.read(.deviceSecret) {
            secret = try DeviceSecretFile(decoding: bytes)
        } else {
            guard mayCreate else { throw .keyFileMissing(.deviceSecret) }
            secret = .random(from: random)
            try storage.replace(.deviceSecret, with: secret.encoded)
            // An existing key bag was made for a secret that no longer exists.
            bagBytes = nil
        }
        let keyFile = LocalKeyFile(
            storage: storage,
            secret: secret,
            random: random,
            passcodeCost: passcodeCost
        )
        if bagBytes == nil {
            guard mayCreate else { throw .keyFileMissing(.keyBag) }
            try keyFile.write(
                KeyBag.randomKeys(from: random),
                version: 1,
                passcodeTierKey: secret.passcodeFreeTierKey
            )
        }
        try keyFile.openBag()
        return keyFile
    }

    private func openBag() throws(SealingError) {
        let bag = try readBag()
        setState(bag, keys: try deviceTierKeys(of: bag), lockState: .beforeFirstUnlock)
        guard bag.passcode == nil else { return }
        let keys = try allKeys(of: bag, passcodeTierKey: secret.passcodeFreeTierKey)
        setState(bag, keys: keys, lockState: .unlocked)
    }

    /// 16 bytes that identify this home in everything that is sealed here.
    package var deviceID: [UInt8] { secret.deviceID }

    package var lockState: LockState { state.withLock { $0.lockState } }

    package var hasPasscode: Bool { state.withLock { $0.hasPasscode } }

    func setState(_ bag: KeyBag, keys: ClassSecrets, lockState: LockState) {
        let keys = keys.mapValues(ClassKey.init)
        state.withLock { state in
            state.lockState = lockState
            state.hasPasscode = bag.passcode != nil
            state.filePublicKey = bag.filePublicKey
            state.keys = keys
        }
    }

    // MARK: Locking

    /// Wipes the keys of the WhenUnlocked classes and of WhenPasscodeSet.
    ///
    /// It works without a passcode too; then ``unlock(passcode:)`` needs none.
    package func lock() {
        state.withLock { state in
            guard state.lockState == .unlocked else { return }
            state.lockState = .locked
            state.keys = state.keys.filter { !$0.key.isWipedOnLock }
        }
        AES256GCM.forgetKeys()
    }

    /// Wipes all keys that an unlock has opened, as a restart of the device does.
    package func reboot() {
        state.withLock { state in
            state.lockState = .beforeFirstUnlock
            state.keys = state.keys.filter { $0.key.tier == .device }
            state.searchKeys = state.searchKeys.filter(\.key.isAlwaysReadable)
        }
        AES256GCM.forgetKeys()
    }

    // MARK: Looking up

    package func rowCipher(random: any RandomSource) -> RowCipher {
        RowCipher(keyFile: self, random: random)
    }

    /// - Throws: ``SealingError/classLocked(_:)``, or ``SealingError/passcodeNotSet`` for
    ///   WhenPasscodeSet on an unlocked device without one.
    func classKey(_ protectionClass: ProtectionClass) throws(SealingError) -> ClassKey {
        try state.withLock { state throws(SealingError) in
            if let key = state.keys[protectionClass] { return key }
            throw state.lockState == .unlocked ? .passcodeNotSet : .classLocked(protectionClass)
        }
    }

    var filePublicKey: [UInt8] { state.withLock { $0.filePublicKey } }

    /// The key by which values of one column can be looked up without being readable.
    ///
    /// `isAlwaysReadable`: for rows of the two Always classes, which have to be found before the
    /// first unlock.
    /// - Throws: ``SealingError/classLocked(_:)`` before the first unlock, for all other rows.
    package func searchKey(
        table: String,
        column: String,
        isAlwaysReadable: Bool
    ) throws(SealingError) -> SearchKey {
        let place = SearchColumn(table: table, column: column, isAlwaysReadable: isAlwaysReadable)
        return try state.withLock { state throws(SealingError) in
            if let key = state.searchKeys[place] { return key }
            let base: SharedSecret
            if isAlwaysReadable {
                base = secret.deviceTierKey
            } else {
                guard let key = state.keys[.afterFirstUnlock] else {
                    throw .classLocked(.afterFirstUnlock)
                }
                base = key.secret
            }
            let key = SearchKey(
                base: base,
                table: table,
                column: column,
                remembersLast: column == "agrp"
            )
            state.searchKeys[place] = key
            return key
        }
    }
}

/// The key of a protection class, and the box key made from it.
final class ClassKey: Sendable {
    let secret: SharedSecret
    let box: BoxKey

    init(_ secret: SharedSecret) {
        self.secret = secret
        box = BoxKey(secret)
    }
}

// MARK: Pins

extension LocalKeyFile {
    /// The pins stored beside the device secret; nil before anything was pinned.
    package func pins() throws(SealingError) -> DevicePins? {
        guard let bytes = try storage.read(.devicePins) else { return nil }
        return try DevicePins(decoding: bytes, key: secret.pinsKey)
    }

    /// Durable when it returns.
    package func savePins(_ pins: DevicePins) throws(SealingError) {
        try storage.replace(.devicePins, with: pins.encoded(secret.pinsKey))
    }
}

package import KSSealing
internal import KSPrimitives
internal import KSSecrets
internal import Synchronization

// Trying and changing the passcode. The file on the disk is what counts: it is read each time, and
// a new one takes its place by a rename, so that a crash leaves the old or the new one, whole.

extension LocalKeyFile {
    /// Opens all classes.
    ///
    /// A wrong passcode costs as much work as the right one: a third of a second and 128 MiB.
    ///
    /// `passcode`: text in UTF-8; nil where there is none.
    /// - Throws: ``SealingError/wrongPasscode``, ``SealingError/passcodeNeeded``; nothing changes
    ///   then.
    package func unlock(passcode: [UInt8]? = nil) throws(SealingError) {
        try changing.withLock { _ throws(SealingError) in
            let bag = try readBag()
            let keys = try keys(of: bag, passcode: passcode)
            setState(bag, keys: keys, lockState: .unlocked)
        }
    }

    /// Sets a first passcode, and makes WhenPasscodeSet's key; the device is unlocked then.
    ///
    /// - Throws: ``SealingError/passcodeAlreadySet``, ``SealingError/passcodeEmpty``.
    package func setPasscode(_ passcode: [UInt8]) throws(SealingError) {
        try changing.withLock { _ throws(SealingError) in
            let bag = try readBag()
            guard bag.passcode == nil else { throw .passcodeAlreadySet }
            var keys = try keys(of: bag, passcode: nil)
            keys[.whenPasscodeSetThisDeviceOnly] = .random(from: random)
            try replace(bag, keys: keys, passcode: passcode)
        }
    }

    /// Replaces the passcode by another one; the classes keep their keys, and the device is
    /// unlocked then.
    ///
    /// - Throws: ``SealingError/wrongPasscode``, ``SealingError/passcodeNotSet``.
    package func changePasscode(from old: [UInt8], to new: [UInt8]) throws(SealingError) {
        try changing.withLock { _ throws(SealingError) in
            let bag = try readBag()
            guard bag.passcode != nil else { throw .passcodeNotSet }
            let keys = try keys(of: bag, passcode: old)
            try replace(bag, keys: keys, passcode: new)
        }
    }

    /// Removes the passcode; the device is unlocked then.
    ///
    /// WhenPasscodeSet's key is deleted for good, so that its items can never be opened again.
    /// - Throws: ``SealingError/wrongPasscode``, ``SealingError/passcodeNotSet``.
    package func removePasscode(_ passcode: [UInt8]) throws(SealingError) {
        try changing.withLock { _ throws(SealingError) in
            let bag = try readBag()
            guard bag.passcode != nil else { throw .passcodeNotSet }
            var keys = try keys(of: bag, passcode: passcode)
            keys[.whenPasscodeSetThisDeviceOnly] = nil
            try replace(bag, keys: keys, passcodeTierKey: secret.passcodeFreeTierKey)
        }
    }

    private func replace(
        _ bag: KeyBag,
        keys: ClassSecrets,
        passcode: [UInt8]
    ) throws(SealingError) {
        guard !passcode.isEmpty else { throw .passcodeEmpty }
        let derivation = PasscodeDerivation(cost: passcodeCost, random: random)
        let key = try secret.passcodeTierKey(passcode, derivation, cost: passcodeCost)
        try replace(bag, keys: keys, derivation, passcodeTierKey: key)
    }

    /// Writes a new bag with these keys in place of the old one; the device is unlocked then.
    func replace(
        _ bag: KeyBag,
        keys: ClassSecrets,
        _ passcode: PasscodeDerivation? = nil,
        passcodeTierKey: SharedSecret
    ) throws(SealingError) {
        let renewed = try write(
            keys,
            version: bag.version + 1,
            passcode,
            passcodeTierKey: passcodeTierKey
        )
        setState(renewed, keys: keys, lockState: .unlocked)
    }

    // MARK: The bag

    func readBag() throws(SealingError) -> KeyBag {
        guard let bytes = try storage.read(.keyBag) else { throw .keyFileMissing(.keyBag) }
        let bag = try KeyBag(decoding: bytes, key: secret.keyBagKey, cost: passcodeCost)
        guard bag.deviceID == secret.deviceID else { throw .keyFileDamaged(.keyBag) }
        return bag
    }

    @discardableResult
    func write(
        _ keys: ClassSecrets,
        version: UInt64,
        _ passcode: PasscodeDerivation? = nil,
        passcodeTierKey: SharedSecret
    ) throws(SealingError) -> KeyBag {
        let bag = KeyBag.seal(
            keys,
            of: secret,
            version: version,
            passcode: passcode,
            passcodeTierKey: passcodeTierKey,
            random: random
        )
        try storage.replace(.keyBag, with: bag.encoded(secret.keyBagKey))
        return bag
    }

    func deviceTierKeys(of bag: KeyBag) throws(SealingError) -> ClassSecrets {
        do {
            return try bag.open(.device, with: secret.deviceTierKey)
        } catch {
            throw .keyFileDamaged(.keyBag)
        }
    }

    /// All keys of a bag without a passcode.
    func allKeys(
        of bag: KeyBag,
        passcodeTierKey: SharedSecret
    ) throws(SealingError) -> ClassSecrets {
        let keys = try deviceTierKeys(of: bag)
        do {
            return keys.merging(try bag.open(.passcode, with: passcodeTierKey)) { $1 }
        } catch {
            // The bag's own tag was right, so that with a passcode only the passcode can be wrong.
            throw bag.passcode == nil ? .keyFileDamaged(.keyBag) : .wrongPasscode
        }
    }

    private func keys(of bag: KeyBag, passcode: [UInt8]?) throws(SealingError) -> ClassSecrets {
        guard let derivation = bag.passcode else {
            guard passcode == nil else { throw .passcodeNotSet }
            return try allKeys(of: bag, passcodeTierKey: secret.passcodeFreeTierKey)
        }
        guard let passcode else { throw .passcodeNeeded }
        let key = try secret.passcodeTierKey(passcode, derivation, cost: passcodeCost)
        return try allKeys(of: bag, passcodeTierKey: key)
    }
}

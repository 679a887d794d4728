import KSPrimitives
import KSDeviceKeys
import KSSealing
import Synchronization
import KSTestSupport
import Testing

struct PasscodeTests {
    private let random = SeededRandomSource(seed: 22)
    private let files = MemoryKeyFiles()
    private let passcode = Array("1234".utf8)

    private func open(mayCreate: Bool = false) throws -> LocalKeyFile {
        try LocalKeyFile.open(
            storage: files,
            random: random,
            mayCreate: mayCreate,
            passcodeCost: .simulation
        )
    }

    private func context(_ protectionClass: ProtectionClass) -> RowContext {
        RowContext(
            rowID: .rising(from: 1, count: 16),
            part: .secret,
            table: "items",
            protectionClass: protectionClass,
            accessGroup: "app.one",
            revision: .rising(from: 2, count: 16)
        )
    }

    /// A box of each class that has a key, and the classes that open now.
    private func sealAll(_ keys: LocalKeyFile) throws -> [ProtectionClass: [UInt8]] {
        let cipher = keys.rowCipher(random: random)
        var boxes: [ProtectionClass: [UInt8]] = [:]
        for protectionClass in ProtectionClass.allCases {
            boxes[protectionClass] = try cipher.seal([1, 2], context(protectionClass))
        }
        return boxes
    }

    private func readable(
        _ boxes: [ProtectionClass: [UInt8]],
        _ cipher: RowCipher
    ) throws -> Set<ProtectionClass> {
        var readable: Set<ProtectionClass> = []
        for (protectionClass, box) in boxes {
            do throws(SealingError) {
                #expect(try cipher.open(box, context(protectionClass)) == [1, 2])
                readable.insert(protectionClass)
            } catch .classLocked(let locked) {
                #expect(locked == protectionClass)
            } catch .passcodeNotSet {
                #expect(protectionClass == .whenPasscodeSetThisDeviceOnly)
            }
        }
        return readable
    }

    private static let always: Set<ProtectionClass> = [.always, .alwaysThisDeviceOnly]
    private static let afterFirstUnlock = always.union([
        .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly,
    ])
    private static let all = Set(ProtectionClass.allCases)

    @Test
    func `locking wipes the keys that only an unlocked device may use`() throws {
        let keys = try open(mayCreate: true)
        #expect(keys.lockState == .unlocked && !keys.hasPasscode)
        try keys.setPasscode(passcode)
        #expect(keys.lockState == .unlocked && keys.hasPasscode)
        let boxes = try sealAll(keys)
        // One cipher is used throughout.
        let cipher = keys.rowCipher(random: random)
        #expect(try readable(boxes, cipher) == Self.all)
        keys.lock()
        #expect(keys.lockState == .locked)
        #expect(try readable(boxes, cipher) == Self.afterFirstUnlock)
        try keys.unlock(passcode: passcode)
        #expect(try readable(boxes, cipher) == Self.all)
        keys.reboot()
        #expect(keys.lockState == .beforeFirstUnlock)
        #expect(try readable(boxes, cipher) == Self.always)
        // Before the first unlock there is nothing more to lock.
        keys.lock()
        #expect(keys.lockState == .beforeFirstUnlock)
        try keys.unlock(passcode: passcode)
        #expect(try readable(boxes, cipher) == Self.all)
    }

    @Test
    func `a new start with a passcode is before the first unlock`() throws {
        let first = try open(mayCreate: true)
        try first.setPasscode(passcode)
        let boxes = try sealAll(first)
        let token = try first.searchKey(table: "t", column: "c", isAlwaysReadable: false)
            .token(type: 1, value: [1])
        let keys = try open()
        #expect(keys.lockState == .beforeFirstUnlock && keys.hasPasscode)
        #expect(try readable(boxes, keys.rowCipher(random: random)) == Self.always)
        #expect(throws: SealingError.classLocked(.afterFirstUnlock)) {
            try keys.searchKey(table: "t", column: "c", isAlwaysReadable: false)
        }
        #expect(throws: Never.self) {
            try keys.searchKey(table: "t", column: "c", isAlwaysReadable: true)
        }
        try keys.unlock(passcode: passcode)
        #expect(try readable(boxes, keys.rowCipher(random: random)) == Self.all)
        let again = try keys.searchKey(table: "t", column: "c", isAlwaysReadable: false)
        #expect(again.token(type: 1, value: [1]) == token)
    }

    @Test
    func `a wrong passcode opens and changes nothing`() throws {
        let keys = try open(mayCreate: true)
        try keys.setPasscode(passcode)
        keys.reboot()
        let bag = files.read(.keyBag)
        for wrong in ["1235", "", "12345"].map({ Array($0.utf8) }) {
            #expect(throws: SealingError.wrongPasscode) { try keys.unlock(passcode: wrong) }
            #expect(throws: SealingError.wrongPasscode) { try keys.removePasscode(wrong) }
            #expect(throws: SealingError.wrongPasscode) {
                try keys.changePasscode(from: wrong, to: [65])
            }
        }
        #expect(throws: SealingError.passcodeNeeded) { try keys.unlock() }
        #expect(throws: SealingError.passcodeAlreadySet) { try keys.setPasscode(passcode) }
        #expect(throws: SealingError.passwordNotText) { try keys.unlock(passcode: [0xFF]) }
        #expect(throws: SealingError.passcodeEmpty) {
            try keys.changePasscode(from: passcode, to: [])
        }
        #expect(keys.lockState == .beforeFirstUnlock)
        #expect(files.read(.keyBag) == bag)
    }

    @Test
    func `a passcode is the same in every Unicode form`() throws {
        let keys = try open(mayCreate: true)
        try keys.setPasscode(Array("caf\u{E9}".utf8))
        keys.lock()
        #expect(throws: Never.self) { try keys.unlock(passcode: Array("cafe\u{301}".utf8)) }
    }

    @Test
    func `a changed passcode opens items that were sealed before`() throws {
        let keys = try open(mayCreate: true)
        try keys.setPasscode(passcode)
        let boxes = try sealAll(keys)
        try keys.changePasscode(from: passcode, to: Array("other".utf8))
        let next = try open()
        #expect(throws: SealingError.wrongPasscode) { try next.unlock(passcode: passcode) }
        try next.unlock(passcode: Array("other".utf8))
        #expect(try readable(boxes, next.rowCipher(random: random)) == Self.all)
    }

    @Test
    func `removing the passcode deletes the key of WhenPasscodeSet items`() throws {
        let keys = try open(mayCreate: true)
        let cipher = keys.rowCipher(random: random)
        let place = context(.whenPasscodeSetThisDeviceOnly)
        #expect(throws: SealingError.passcodeNotSet) { try cipher.seal([1], place) }
        try keys.setPasscode(passcode)
        let boxes = try sealAll(keys)
        keys.lock()
        try keys.removePasscode(passcode)
        #expect(keys.lockState == .unlocked && !keys.hasPasscode)
        #expect(
            try readable(boxes, cipher) == Self.all.subtracting([.whenPasscodeSetThisDeviceOnly])
        )
        #expect(throws: SealingError.passcodeNotSet) { try cipher.seal([1], place) }
        keys.lock()
        #expect(throws: SealingError.classLocked(.whenPasscodeSetThisDeviceOnly)) {
            try cipher.seal([1], place)
        }
        try keys.setPasscode(passcode)
        let old = try #require(boxes[.whenPasscodeSetThisDeviceOnly])
        #expect(throws: SealingError.notAuthentic) { try cipher.open(old, place) }
        #expect(try cipher.open(cipher.seal([1], place), place) == [1])
    }

    @Test
    func `a device without a passcode can be locked too`() throws {
        let keys = try open(mayCreate: true)
        keys.lock()
        #expect(throws: SealingError.passcodeNotSet) { try keys.unlock(passcode: passcode) }
        #expect(throws: SealingError.passcodeNotSet) { try keys.removePasscode(passcode) }
        #expect(throws: SealingError.passcodeNotSet) {
            try keys.changePasscode(from: passcode, to: passcode)
        }
        #expect(keys.lockState == .locked)
        try keys.unlock()
        #expect(keys.lockState == .unlocked)
        keys.reboot()
        try keys.unlock()
        #expect(keys.lockState == .unlocked)
    }

    @Test
    func `a file that cannot be written is not changed`() throws {
        let storage = FullKeyFiles()
        let keys = try LocalKeyFile.open(
            storage: storage,
            random: random,
            mayCreate: true,
            passcodeCost: .simulation
        )
        let full = SealingError.keyFileUnavailable(.keyBag, systemError: 28)
        storage.isFull.withLock { $0 = true }
        #expect(throws: full) { try keys.setPasscode(passcode) }
        #expect(!keys.hasPasscode && keys.lockState == .unlocked)
        storage.isFull.withLock { $0 = false }
        try keys.setPasscode(passcode)
        let boxes = try sealAll(keys)
        storage.isFull.withLock { $0 = true }
        #expect(throws: full) { try keys.removePasscode(passcode) }
        #expect(throws: full) { try keys.changePasscode(from: passcode, to: [65]) }
        keys.lock()
        try keys.unlock(passcode: passcode)
        #expect(try readable(boxes, keys.rowCipher(random: random)) == Self.all)
    }

    @Test
    func `every changed byte of a file with a passcode is damage, not a wrong passcode`() throws {
        try open(mayCreate: true).setPasscode(passcode)
        let bytes = try #require(files.read(.keyBag))
        for index in bytes.indices {
            files.replace(.keyBag, with: bytes.flipping(index))
            let error = #expect(throws: SealingError.self, "byte \(index)") { try open() }
            #expect(error != .wrongPasscode)
        }
    }

    @Test
    func `a file with a passcode at another cost is refused`() throws {
        try open(mayCreate: true).setPasscode(passcode)
        #expect(throws: SealingError.keyFileDamaged(.keyBag)) {
            try LocalKeyFile.open(storage: files, random: random, mayCreate: false)
        }
    }

    @Test
    func `the frozen file with a passcode opens`() throws {
        let frozen = try FrozenFormat("local files with a passcode")
        files.replace(.deviceSecret, with: try frozen.bytes("deviceSecret"))
        files.replace(.keyBag, with: try frozen.bytes("keyBag"))
        let keys = try LocalKeyFile.open(storage: files, random: random, mayCreate: false)
        #expect(keys.lockState == .beforeFirstUnlock)
        #expect(throws: SealingError.wrongPasscode) { try keys.unlock(passcode: [65]) }
        try keys.unlock(passcode: frozen.bytes("passcode"))
        let box = try frozen.bytes("row")
        let text = try keys.rowCipher(random: random)
            .open(box, context(.whenPasscodeSetThisDeviceOnly))
        #expect(try text == frozen.bytes("rowText"))
    }
}

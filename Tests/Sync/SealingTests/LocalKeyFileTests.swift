import KSCausality
import Foundation
import KSRecords
import KSDeviceKeys
import KSSealing
import KSTestSupport
import Testing

struct LocalKeyFileTests {
    private let random = SeededRandomSource(seed: 21)
    private let files = MemoryKeyFiles()

    private func open(mayCreate: Bool = false) throws -> LocalKeyFile {
        try LocalKeyFile.open(storage: files, random: random, mayCreate: mayCreate)
    }

    private func context(
        _ protectionClass: ProtectionClass = .whenUnlocked,
        row: UInt8 = 1,
        part: RowContext.Part = .secret,
        table: String = "items",
        group: String = "app.one",
        revision: UInt8 = 2
    ) -> RowContext {
        RowContext(
            rowID: .rising(from: row, count: 16),
            part: part,
            table: table,
            protectionClass: protectionClass,
            accessGroup: group,
            revision: .rising(from: revision, count: 16)
        )
    }

    private func frozenFiles() throws -> FrozenFormat {
        let frozen = try FrozenFormat("local files")
        files.replace(.deviceSecret, with: try frozen.bytes("deviceSecret"))
        files.replace(.keyBag, with: try frozen.bytes("keyBag"))
        files.replace(.devicePins, with: try frozen.bytes("devicePins"))
        return frozen
    }

    @Test
    func `the frozen files open`() throws {
        let frozen = try frozenFiles()
        let keys = try open()
        #expect(try keys.deviceID == frozen.bytes("deviceID"))
        let cipher = keys.rowCipher(random: random)
        #expect(try cipher.open(frozen.bytes("row"), context()) == frozen.bytes("rowText"))
        let pins = DevicePins(
            actor: ActorID(rawValue: 0x0102_0304_0506_0708),
            circleVersion: 2,
            circleHash: Hash(validated: .rising(from: 3))
        )
        #expect(try keys.pins() == pins)
        let written = files.read(.devicePins)
        try keys.savePins(pins)
        #expect(files.read(.devicePins) == written)
        for (isAlways, field) in [(false, "searchToken"), (true, "searchTokenAlways")] {
            let key = try keys.searchKey(
                table: "items",
                column: "acct",
                isAlwaysReadable: isAlways
            )
            #expect(
                try key.token(type: 4, value: frozen.bytes("searchValue")) == frozen.bytes(field)
            )
        }
    }

    @Test
    func `files are made once, and open again`() throws {
        let first = try open(mayCreate: true)
        let box = try first.rowCipher(random: random).seal([1, 2, 3], context())
        let second = try open(mayCreate: true)
        #expect(second.deviceID == first.deviceID)
        #expect(try second.rowCipher(random: random).open(box, context()) == [1, 2, 3])
        #expect(try open().deviceID == first.deviceID)
    }

    @Test
    func `a missing file is made only while the home is empty`() throws {
        #expect(throws: SealingError.keyFileMissing(.deviceSecret)) { try open() }
        _ = try open(mayCreate: true)
        files.remove(.keyBag)
        #expect(throws: SealingError.keyFileMissing(.keyBag)) { try open() }
        // As after a crash between the two.
        #expect(throws: Never.self) { try open(mayCreate: true) }
        files.remove(.deviceSecret)
        #expect(throws: SealingError.keyFileMissing(.deviceSecret)) { try open() }
        #expect(throws: Never.self) { try open(mayCreate: true) }
    }

    @Test
    func `every changed byte of a file is found`() throws {
        _ = try frozenFiles()
        for name in [KeyFileName.deviceSecret, .keyBag] {
            let bytes = try #require(files.read(name))
            for index in bytes.indices {
                files.replace(name, with: bytes.flipping(index))
                #expect(throws: SealingError.self, "\(name) byte \(index)") { try open() }
            }
            files.replace(name, with: bytes)
        }
        let keys = try open()
        let bytes = try #require(files.read(.devicePins))
        for index in bytes.indices {
            files.replace(.devicePins, with: bytes.flipping(index))
            #expect(throws: SealingError.self, "byte \(index)") { try keys.pins() }
        }
    }

    @Test
    func `a cut file is called damaged`() throws {
        _ = try frozenFiles()
        for name in [KeyFileName.deviceSecret, .keyBag] {
            let bytes = try #require(files.read(name))
            for count in 0..<bytes.count {
                files.replace(name, with: Array(bytes.prefix(count)))
                #expect(throws: SealingError.keyFileDamaged(name)) { try open() }
            }
            files.replace(name, with: bytes)
        }
    }

    @Test
    func `another device's file is refused`() throws {
        _ = try open(mayCreate: true)
        let frozen = try FrozenFormat("local files")
        files.replace(.devicePins, with: try frozen.bytes("devicePins"))
        let keys = try open()
        #expect(throws: SealingError.keyFileDamaged(.devicePins)) { try keys.pins() }
        files.replace(.keyBag, with: try frozen.bytes("keyBag"))
        #expect(throws: SealingError.keyFileDamaged(.keyBag)) { try open() }
    }

    @Test
    func `a newer format asks for an update`() throws {
        _ = try frozenFiles()
        var encoder = CanonicalEncoder(label: "key bag")
        encoder.integer(2)
        files.replace(.keyBag, with: encoder.encoded)
        #expect(throws: SealingError.updateThisClient(format: 2)) { try open() }
    }

    @Test
    func `a row opens in its own place only`() throws {
        let cipher = try open(mayCreate: true).rowCipher(random: random)
        let box = try cipher.seal([1, 2, 3], context())
        let others = [
            context(.afterFirstUnlock), context(.always), context(row: 9),
            context(part: .attributes), context(table: "history"), context(group: "app.two"),
            context(revision: 9),
        ]
        for other in others {
            #expect(throws: SealingError.notAuthentic) { try cipher.open(box, other) }
        }
        for index in box.indices {
            #expect(throws: SealingError.notAuthentic) {
                try cipher.open(box.flipping(index), context())
            }
        }
    }

    @Test
    func `every class but WhenPasscodeSet works without a passcode`() throws {
        let cipher = try open(mayCreate: true).rowCipher(random: random)
        for protectionClass in ProtectionClass.allCases {
            let place = context(protectionClass)
            if protectionClass == .whenPasscodeSetThisDeviceOnly {
                #expect(throws: SealingError.passcodeNotSet) {
                    try cipher.seal([1], place)
                }
            } else {
                #expect(try cipher.open(cipher.seal([1], place), place) == [1])
            }
        }
    }

    @Test
    func `search tokens differ between tables, columns, types and values`() throws {
        let keys = try open(mayCreate: true)
        func token(
            _ table: String,
            _ column: String,
            _ isAlways: Bool,
            _ type: UInt64,
            _ value: [UInt8]
        ) throws -> [UInt8] {
            try keys.searchKey(table: table, column: column, isAlwaysReadable: isAlways)
                .token(type: type, value: value)
        }
        let tokens = try [
            token("a", "b", false, 1, [1]), token("ab", "", false, 1, [1]),
            token("a", "c", false, 1, [1]), token("a", "b", true, 1, [1]),
            token("a", "b", false, 2, [1]), token("a", "b", false, 1, [2]),
        ]
        #expect(Set(tokens).count == tokens.count)
        #expect(tokens.allSatisfy { $0.count == 16 })
        #expect(try token("a", "b", false, 1, [1]) == tokens[0])
    }
}

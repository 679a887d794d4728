internal import KSDeviceKeys
package import KSAgent
package import KSRPC
internal import Foundation
internal import GRDB
internal import KSKeychain
internal import KSDaemon
internal import KSPrimitives
internal import KSSealing
internal import KSSecItem
internal import KSSecurityNames

/// A keychain for tests in a directory of its own, and everything that may happen to a device.
package final class TestKeychain: RPCKeychain {
    package let objects: (any RPCObjects)? = TestObjects.shared

    private let folder: URL
    private var device: Device?
    /// The previous device; its database is closed.
    private var closedDevice: Device?
    /// Why no device is open.
    private var failure: Int32 = SecStatus.errSecNotAvailable
    private var client = TestKeychain.firstClient
    private var passcode: [UInt8]?
    /// The class of the newest row.
    private var newestClass = ItemClass.genericPassword

    private struct Device {
        let files: DeviceFiles
        let keychain: ItemStore
        var service: SecItemService { SecItemService(keychain: keychain) }
    }

    /// The first caller, until `Env.setClient` sets another.
    private static let firstClient = ProgramAccess(
        accessGroups: ["test", "com.apple.token"],
        entitlements: [Entitlement.uninstalling]
    )
    /// Devices have a passcode, or items of one class could not be added.
    private static let firstPasscode = Array("0000".utf8)

    package init() throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "keychain-rpc-\(UUID().uuidString)"
        )
        try reset()
    }

    deinit {
        // The system empties its directory of temporary files in the end.
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: The four calls

    package func answer(_ call: SecItemCall) -> SecItemReply {
        // Reports invalid queries even if the file cannot be opened.
        guard let service = (opened() ?? absentDevice)?.service else {
            return SecItemReply(status: failure)
        }
        let reply = service.answer(call, client: client)
        if call.function == .add, reply.status == 0 { noteNewest(call.query) }
        return reply
    }

    private func noteNewest(_ query: AgentDictionary) {
        let name = query["class"]?.string ?? query["v_Ref"]?.dictionary?["$ref"]?.string
        newestClass = name.flatMap(ItemClass.init) ?? newestClass
    }

    // MARK: Everything else

    package func call(
        _ name: String,
        _ arguments: AgentDictionary
    ) throws(RPCError) -> SecItemReply? {
        do {
            guard let status = try perform(name, arguments) else { return nil }
            return SecItemReply(status: status)
        } catch let error as RPCError {
            throw error
        } catch let error as ItemStoreError {
            return SecItemReply(status: error.status)
        } catch {
            throw RPCError("\(name) failed: \(type(of: error)).")
        }
    }

    private func perform(_ name: String, _ arguments: AgentDictionary) throws -> Int32? {
        switch name {
        case "SecItemDeleteAllWithAccessGroups":
            guard let groups = Self.texts("accessGroups", of: arguments) else {
                return SecStatus.errSecParam
            }
            return try required().service.deleteAll(accessGroups: groups, client: client).status
        case "SecItemPersistKeychainWritesAtHighPerformanceCost":
            // Every write is on the disk when its call returns.
            return client.entitlements.contains(Entitlement.durableWrites)
                ? 0 : SecStatus.errSecMissingEntitlement
        case "Env.setClient": setClient(arguments)
        case "Env.reset": try reset()
        case "Env.lock": try required().files.keys.lock()
        case "Env.unlock": try unlock()
        case "Env.reboot", "Env.reboot (before first unlock)":
            try required().files.keys.reboot()
        case "Env.restartDaemon": try restart()
        case "Env.setPasscode": try setPasscode(arguments)
        case "Env.removePasscode":
            if let passcode { try required().files.keys.removePasscode(passcode) }
            passcode = nil
        case "Env.corruptRow": try corruptRow(arguments["query"]?.dictionary)
        case "Env.corruptMetadataKey": try corruptRows()
        case "Env.waitForAsyncCleanup":
            let keychain = try required().keychain
            try keychain.quarantine(keychain.unreadableRows)
        case "Env.makeDatabaseFileUnreadable": try hideDatabase()
        case "Env.makeDatabaseFileReadable": try showDatabase()
        case "Env.corruptDatabaseFile": try corruptDatabase()
        case "Env.setSqlColumnToInvalidDate", "Env.installOldSchemaDatabase":
            // Rows hold no date outside of their seals, and no schema is older than this one.
            break
        case "Env.addCertificates": return addCertificates(arguments["count"]?.integer ?? 1)
        default: return nil
        }
        return 0
    }

    private func setClient(_ arguments: AgentDictionary) {
        var entitlements = Set(Self.texts("entitlements", of: arguments) ?? [])
        entitlements.insert(Entitlement.uninstalling)
        if arguments["appClip"]?.bool == true { entitlements.insert(Entitlement.appClip) }
        if arguments["durable"]?.bool == true { entitlements.insert(Entitlement.durableWrites) }
        client = ProgramAccess(
            accessGroups: Self.texts("accessGroups", of: arguments) ?? client.accessGroups,
            entitlements: entitlements
        )
    }

    private static func texts(_ name: String, of arguments: AgentDictionary) -> [String]? {
        arguments[name]?.array?.compactMap(\.string)
    }

    private func addCertificates(_ count: Int64) -> Int32 {
        for letter in "ABCDEF".prefix(Int(clamping: count)) {
            guard let certificate = TestObjects.shared.object(named: "cert:\(letter)") else {
                continue
            }
            let reply = answer(SecItemCall(.add, ["v_Ref": .dictionary(certificate)]))
            guard reply.status == 0 else { return reply.status }
        }
        return 0
    }
}

// MARK: The device

extension TestKeychain {
    private var databasePath: String { folder.appending(path: "home/keychain.db").path }
    private var hiddenPath: String { folder.appending(path: "hidden.db").path }

    private func reset() throws {
        close()
        if FileManager.default.fileExists(atPath: folder.path) {
            try FileManager.default.removeItem(at: folder)
        }
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        client = Self.firstClient
        passcode = Self.firstPasscode
        try open()
        try required().files.keys.setPasscode(Self.firstPasscode)
    }

    private func open() throws {
        let home = try AgentHome(argument: folder.appending(path: "home").path)
        let files = try DeviceFiles(home: home, passcodeCost: .simulation)
        device = Device(files: files, keychain: try files.makeKeychain())
    }

    private func close() {
        device?.files.close()
        closedDevice = device ?? closedDevice
        device = nil
    }

    /// The device, opened again if its file could not be read before.
    private func opened() -> Device? {
        if let device { return device }
        do {
            try open()
            try unlock()
        } catch {
            failure = (error as? ItemStoreError)?.status ?? SecStatus.errSecNotAvailable
        }
        return device
    }

    /// The device whose file is not in its place any more, which its calls see before they use it.
    private var absentDevice: Device? {
        do {
            try closedDevice?.keychain.reader.checkFile()
            return nil
        } catch {
            return closedDevice
        }
    }

    private func required() throws -> Device {
        guard let device = opened() else { throw ItemStoreError.unavailable(code: 0) }
        return device
    }

    private func restart() throws {
        let wasUnlocked = device?.files.keys.lockState == .unlocked
        close()
        // Where it cannot be opened, the calls that follow say so.
        if opened() != nil, !wasUnlocked { try required().files.keys.reboot() }
    }

    private func unlock() throws {
        let keys = try required().files.keys
        if keys.lockState != .unlocked { try keys.unlock(passcode: passcode) }
        try required().keychain.completeAlwaysDigests()
    }

    private func setPasscode(_ arguments: AgentDictionary) throws {
        guard let text = arguments["passcode"]?.string else {
            throw RPCError("There is no text \"passcode\".")
        }
        let keys = try required().files.keys
        let new = Array(text.utf8)
        if let passcode {
            try keys.changePasscode(from: passcode, to: new)
        } else {
            try keys.setPasscode(new)
        }
        passcode = new
        try required().keychain.completeAlwaysDigests()
    }
}

// MARK: Damage

extension TestKeychain {
    /// Damages both halves of the newest row, or of the one that a query finds.
    private func corruptRow(_ query: AgentDictionary?) throws {
        guard var query else {
            let newest = "(SELECT max(id) FROM \"\(newestClass.rawValue)\")"
            return try damage(newestClass, "WHERE id = \(newest)")
        }
        query["r_PersistentRef"] = true
        let found = try required().service.answer(SecItemCall(.copy, query), client: client)
        guard let reference = found.result?.data,
            let itemClass = ItemClass(
                rawValue: String(decoding: reference.prefix(4), as: UTF8.self)
            )
        else { throw RPCError("No row matches.") }
        try damage(itemClass, "WHERE persistentReference = ?", [Data(reference.dropFirst(4))])
    }

    /// Damages all rows, as if the keys of attributes were lost, which here are those of the
    /// secrets too.
    private func corruptRows() throws {
        for itemClass in ItemClass.allCases { try damage(itemClass) }
    }

    private func damage(
        _ itemClass: ItemClass,
        _ condition: String = "",
        _ arguments: StatementArguments = []
    ) throws {
        try required().files.database.write { database in
            try database.execute(
                sql: """
                    UPDATE "\(itemClass.rawValue)"
                    SET attributes = zeroblob(length(attributes)),
                        secret = zeroblob(length(secret))
                    \(condition)
                    """,
                arguments: arguments
            )
        }
    }

    /// Puts a directory in the file's place: even the system's administrator cannot read that.
    private func hideDatabase() throws {
        close()
        try moveDatabase(from: databasePath, to: hiddenPath)
        try FileManager.default.createDirectory(
            atPath: databasePath,
            withIntermediateDirectories: false
        )
    }

    private func showDatabase() throws {
        guard FileManager.default.fileExists(atPath: hiddenPath) else { return }
        close()
        try FileManager.default.removeItem(atPath: databasePath)
        try moveDatabase(from: hiddenPath, to: databasePath)
    }

    private func moveDatabase(from old: String, to new: String) throws {
        for suffix in ["", "-wal", "-shm"]
        where FileManager.default.fileExists(atPath: old + suffix) {
            try FileManager.default.moveItem(atPath: old + suffix, toPath: new + suffix)
        }
    }

    private func corruptDatabase() throws {
        close()
        for suffix in ["-wal", "-shm"] {
            // It may not be there.
            try? FileManager.default.removeItem(atPath: databasePath + suffix)
        }
        // Another file, not the one that was open.
        let damaged = folder.appending(path: "damaged.db")
        try Data(repeating: 0x5A, count: 65_536).write(to: damaged)
        try FileManager.default.removeItem(atPath: databasePath)
        try FileManager.default.moveItem(atPath: damaged.path, toPath: databasePath)
    }
}

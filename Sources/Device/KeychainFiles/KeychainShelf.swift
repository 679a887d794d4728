internal import KSDeviceKeys
package import KSAgent
package import KSDigests
internal import Foundation
package import KSKeychain
internal import KSSealing
internal import KSQueues

/// Owns the further keychains, which are local, each with a file and a password of its own.
package actor KeychainShelf {
    private let executor = QueueExecutor(label: "keychain-sync.keychains")
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    package nonisolated let places: KeychainPlaces
    private let random: any RandomSource
    private var open: [String: OpenFile] = [:]

    private struct OpenFile {
        let file: KeychainFile
        var lastUse: ContinuousClock.Instant
        var task: Task<Void, Never>?
    }

    package init(home: AgentHome, random: any RandomSource) {
        places = KeychainPlaces(
            homePath: home.path,
            userFolder: ProcessInfo.processInfo.environment["HOME"]
        )
        self.random = random
    }

    // MARK: The list

    package func list() throws(KeychainFileError) -> KeychainSearchList {
        try KeychainSearchList.load(home: places.homePath)
    }

    package func change(
        _ body: @Sendable (inout KeychainSearchList) throws(KeychainFileError) -> Void
    ) throws(KeychainFileError) {
        var list = try list()
        try body(&list)
        try list.save(home: places.homePath)
    }

    /// The keychain for new items that name none.
    package func defaultPlace() throws(KeychainFileError) -> KeychainPlace {
        guard let path = try list().defaultKeychain else { throw .noDefaultKeychain }
        return try places.place(of: path)
    }

    /// The keychains to search when a call names none.
    package func searchPlaces() throws(KeychainFileError) -> [KeychainPlace] {
        try list().search.map { path throws(KeychainFileError) in try places.place(of: path) }
    }

    // MARK: Files

    package func create(path: String, password: [UInt8]) throws {
        let file = try KeychainFile.create(path: path, password: password, random: random)
        ProcessProtection.giveMemoryBack()
        keep(file, path: path)
    }

    package func delete(path: String) throws {
        // Deletes only files that are keychains, including those that cannot be opened.
        try KeychainFileStorage.checkRemovable(path: path)
        // If the search list cannot be read, it could not be updated, so the keychain stays.
        _ = try list()
        forget(path)
        try KeychainFileStorage.remove(path: path)
        let places = places
        try change { list throws(KeychainFileError) in
            list.forget(home: places.homePath) { $0 == path || places.path(of: $0) == path }
        }
    }

    package func lockAll() {
        for entry in open.values { entry.file.keys.lock() }
    }

    /// Checks the password even if the keychain is unlocked already.
    package func unlock(path: String, password: [UInt8]) throws {
        try use(path).keys.unlock(password: password)
        noteUse(path)
    }

    package func set(_ settings: KeychainSettings, path: String) throws {
        let file = try use(path)
        guard !file.isLocked else { throw ItemStoreError.interactionNotAllowed }
        try file.set(settings)
        noteUse(path)
    }

    /// Runs a block with a keychain as a whole, opened if necessary; this does not count as a use.
    package func withFile<Result: Sendable>(
        _ path: String,
        _ body: @Sendable (KeychainFile) throws -> Result
    ) throws -> Result {
        try body(try use(path))
    }

    // MARK: Items

    /// Runs a block with a keychain, which is opened if necessary.
    package func with<Result: Sendable>(
        _ path: String,
        _ body: @Sendable (ItemStore) throws -> Result
    ) throws -> Result {
        defer { noteUse(path) }
        return try body(try use(path).keychain)
    }

    package func systemRoots(_ criteria: CertificateCriteria) -> [StoredCertificate] {
        SystemRoots.certificates(criteria)
    }

    package func closeAll() {
        for path in open.keys.sorted() { forget(path) }
    }

    // MARK: Open files

    private func use(_ path: String) throws -> KeychainFile {
        if let entry = open[path] {
            // Another process may have removed or replaced the file: opening it again reports that.
            if (try? entry.file.keychain.reader.checkFile()) != nil { return entry.file }
            forget(path)
        }
        let file = try KeychainFile.open(path: path, random: random)
        keep(file, path: path)
        return file
    }

    private func keep(_ file: KeychainFile, path: String) {
        open[path] = OpenFile(file: file, lastUse: .now, task: nil)
        noteUse(path)
    }

    private func forget(_ path: String) {
        guard let entry = open.removeValue(forKey: path) else { return }
        entry.task?.cancel()
        // An error here loses nothing: everything is on the disk already.
        try? entry.file.close()
    }

    /// Restarts the time after which an unlocked keychain locks itself.
    private func noteUse(_ path: String) {
        guard var entry = open[path] else { return }
        entry.lastUse = .now
        entry.task?.cancel()
        entry.task = nil
        if !entry.file.isLocked, let seconds = entry.file.settings.idleSeconds {
            entry.task = Task { [weak self] in
                // A use in the meantime cancels this task.
                guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
                await self?.lockIdle(path)
            }
        }
        open[path] = entry
    }

    private func lockIdle(_ path: String) {
        guard let entry = open[path], let seconds = entry.file.settings.idleSeconds,
            ContinuousClock.now - entry.lastUse >= .seconds(seconds)
        else { return }
        entry.file.keys.lock()
    }
}

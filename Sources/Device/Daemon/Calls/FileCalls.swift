package import KSAgent
package import KSDeviceKeys
internal import KSQueues

/// Protects files for programs, which never see a key.
package actor FileProtector {
    /// A queue of its own, since a file may be large.
    private let executor = QueueExecutor(label: "keychain-sync.files")
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// Its files are refused: the daemon could not use its own files once they are sealed.
    private let home: OwnFolder
    private let files: ProtectedFiles

    init(home: AgentHome, files: DeviceFiles) {
        self.home = OwnFolder(path: home.path)
        self.files = ProtectedFiles(keyFile: files.keys, random: files.random)
    }

    package func protect(_ path: String, as level: FileClass, to output: String?) throws {
        let (path, output) = (try home.outside(path), try output.map(home.outside))
        try files.protect(path, as: level, to: output)
    }

    package func unprotect(_ path: String, to output: String?) throws {
        let (path, output) = (try home.outside(path), try output.map(home.outside))
        try files.unprotect(path, to: output)
    }

    package func contents(of path: String, bytesMax: Int) throws -> [UInt8] {
        try files.contents(of: home.outside(path), bytesMax: bytesMax)
    }
}

extension FileClass {
    fileprivate init(_ level: ProtectionLevel) {
        self =
            switch level {
            case .complete: .complete
            case .unlessOpen: .completeUnlessOpen
            case .untilFirstUnlock: .completeUntilFirstUnlock
            case .none: .none
            }
    }
}

extension ProtectFile: HandledCommand {
    func carryOut(on daemon: CallHandler, _ caller: Caller) async throws {
        try await daemon.fileProtector.protect(path, as: FileClass(`class`), to: output)
    }
}

extension UnprotectFile: HandledCommand {
    func carryOut(on daemon: CallHandler, _ caller: Caller) async throws {
        try await daemon.fileProtector.unprotect(path, to: output)
    }
}

extension ReadProtectedFile: HandledCall {
    /// The size limit of a file that is returned in one answer.
    private static let contentsBytesMax = 4 << 20

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> ProtectedContents {
        ProtectedContents(
            contents: try await daemon.fileProtector.contents(
                of: path,
                bytesMax: Self.contentsBytesMax
            )
        )
    }
}

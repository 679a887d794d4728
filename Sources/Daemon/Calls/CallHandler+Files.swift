package import KSAgent
internal import KSDigests
internal import KSKeychain
package import KSSealing
internal import SyncEngine

/// Protects files for programs, which never see a key.
package actor FileProtector {
    /// A file may be large.
    private let executor = QueueExecutor(label: "keychain-sync.files")
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// The daemon's own files, sealed, would open nothing any more.
    private let home: OwnFolder
    private let files: ProtectedFiles

    package init(home: OwnFolder, files: ProtectedFiles) {
        self.home = home
        self.files = files
    }

    package func protect(_ path: String, as level: FileProtection, to output: String?) throws {
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

extension FileProtection {
    /// The names that commands and calls use, and Apple's after "NSFileProtection".
    package static let names: [(name: String, level: FileProtection)] = [
        ("complete", .complete), ("unless-open", .completeUnlessOpen),
        ("until-first-unlock", .completeUntilFirstUnlock), ("none", .none),
    ]

    package init?(name: String) {
        guard let level = Self.names.first(where: { $0.name == name })?.level else { return nil }
        self = level
    }
}

extension ProgramAccess {
    /// A program names its own files by their paths, so that any may do it from which not
    /// everything was taken.
    package func checkMayProtectFiles() throws {
        guard seesAllGroups || !accessGroups.isEmpty else {
            let error = KeychainError.missingEntitlement
            throw AgentFailure(code: error.status, status: error.message)
        }
    }
}

extension CallHandler {
    /// The most that is given in one answer.
    private static let contentsBytesMax = 4 << 20

    package func fileValue(of request: AgentRequest) async throws -> AgentValue {
        let arguments = request.arguments
        guard let path = arguments["path"]?.string else { throw CommandFailure.malformedCall }
        let output = arguments["output"]?.string
        switch request.call {
        case "file.protect":
            guard let level = arguments["class"]?.string.flatMap(FileProtection.init(name:)) else {
                throw CommandFailure.malformedCall
            }
            try await fileProtector.protect(path, as: level, to: output)
            return .null
        case "file.unprotect":
            try await fileProtector.unprotect(path, to: output)
            return .null
        default:
            let contents = try await fileProtector.contents(
                of: path,
                bytesMax: Self.contentsBytesMax
            )
            return ["contents": .data(contents)]
        }
    }
}

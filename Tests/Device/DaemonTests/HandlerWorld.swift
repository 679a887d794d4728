import Foundation
import KSAgent
import KSKeychainFiles
import KSDeviceKeys
import Logging
import Testing

import KSDaemon

/// A daemon's calls over a home of their own, without its socket.
struct HandlerWorld: Sendable {
    /// A program that sees everything, and one that sees its own items.
    static let keychain = peer(AgentPeer.ownExecutable)
    static let program = peer("/usr/bin/some-program")

    let home: AgentHome
    let owner: KeychainOwner
    let handler: CallHandler
    private let folder: FolderOfTest

    /// A temporary folder, removed with its owner.
    private final class FolderOfTest: Sendable {
        let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString)"

        deinit {
            // A leftover temporary folder does no harm.
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    /// `isOnDisk`: whether look-ups have a connection of their own.
    init(isOnDisk: Bool = false) throws {
        let folder = FolderOfTest()
        let files =
            isOnDisk
            ? try DeviceFiles(home: AgentHome(argument: folder.path))
            : try DeviceFiles(storage: MemoryKeyFiles())
        try self.init(files: files, owner: KeychainOwner(files: files), folder: folder)
    }

    init(files: DeviceFiles, owner: KeychainOwner) throws {
        try self.init(files: files, owner: owner, folder: FolderOfTest())
    }

    private init(files: DeviceFiles, owner: KeychainOwner, folder: FolderOfTest) throws {
        self.folder = folder
        home = try AgentHome(argument: folder.path)
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        self.owner = owner
        let accounts = AccountKeeper(owner: owner, logger: logger)
        handler = CallHandler(
            home: home,
            owner: owner,
            accounts: accounts,
            deviceLock: try DeviceLock(
                owner: owner,
                accounts: accounts,
                settings: SettingsFile(path: nil),
                logger: logger
            ),
            logger: logger
        )
    }

    static func peer(_ executable: String?) -> AgentPeer {
        AgentPeer(processID: 1, userID: 0, executable: executable)
    }

    /// Writes `entitlements.json`.
    ///
    /// `programs`: the members of its field of this name.
    func entitle(_ programs: String) throws {
        let path = home.path + "/" + EntitlementsFile.name
        try Data("{\"programs\": {\(programs)}}".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    func answer(
        _ call: String,
        _ arguments: AgentDictionary,
        of peer: AgentPeer
    ) async -> AgentReply {
        await answer(AgentRequest(id: 1, call: call, arguments: arguments), of: peer) { _ in }
    }

    func answer(
        _ request: AgentRequest,
        of peer: AgentPeer,
        reportProgress: @escaping AgentAnswer.ReportProgress
    ) async -> AgentReply {
        await handler.answer(request, of: peer).reply(reportingTo: reportProgress)
    }

    /// The answer for `keychain` and `sync-client`.
    func value(
        _ call: String,
        _ arguments: AgentDictionary = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> AgentDictionary {
        let reply = await answer(call, arguments, of: Self.keychain)
        guard case .result(let value) = reply else {
            Issue.record("refused: \(reply)", sourceLocation: sourceLocation)
            return [:]
        }
        return value.dictionary ?? [:]
    }

    func examination() async throws -> Examination {
        try Examination(.dictionary(try await value(Examine.name)))
    }

    /// The failure for `keychain` and `sync-client`.
    func failure(
        _ call: String,
        _ arguments: AgentDictionary = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> AgentFailure? {
        let reply = await answer(call, arguments, of: Self.keychain)
        guard case .failure(let failure) = reply else {
            Issue.record("it was answered", sourceLocation: sourceLocation)
            return nil
        }
        return failure
    }
}

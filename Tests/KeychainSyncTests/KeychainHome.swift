import KSAgent
import KSCertificates
import Foundation
import KeychainSync
import KSPrivateKeys
import KSTestSupport
import Testing

/// A keychain in a new home, with a daemon that starts itself.
struct KeychainHome {
    let path: String
    var keychain: Keychain { Keychain(home: path) }

    /// One of Apple's calls, which can express more than the types.
    @discardableResult
    func secItem(
        _ function: String,
        _ query: AgentDictionary,
        adding name: String? = nil,
        _ value: AgentValue? = nil
    ) throws -> AgentDictionary {
        var query = query
        if let name { query[name] = value }
        let client = try AgentClient(home: try AgentHome(argument: path))
        let answer = try client.call(
            "secitem",
            ["fn": .string(function), "query": .dictionary(query)]
        )
        let reply = try #require(answer.dictionary)
        #expect(reply["status"]?.integer == 0)
        return reply
    }

    /// Runs a test in a home that gives this program some groups instead of its own.
    static func with(
        groups: [String]? = nil,
        _ body: (KeychainHome) async throws -> Void
    ) async throws {
        let home = FileManager.default.temporaryDirectory.appending(
            path: "keychain-\(UUID().uuidString.prefix(8))"
        ).path
        // Leftovers are in the temporary folder.
        defer { try? FileManager.default.removeItem(atPath: home) }
        if let groups { try entitle(home, groups) }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(KeychainHome(path: home)))
        } catch {
            result = .failure(error)
        }
        let client = try AgentClient(home: try AgentHome(argument: home), startsDaemon: false)
        _ = try client.call("stop")
        try result.get()
    }

    private static func entitle(_ home: String, _ groups: [String]) throws {
        let files = FileManager.default
        try files.createDirectory(
            atPath: home,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let program = try files.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let entry = ["programs": [program: ["keychain-access-groups": groups]]]
        let file = home + "/entitlements.json"
        try JSONSerialization.data(withJSONObject: entry).write(to: URL(filePath: file))
        try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }
}

/// Runs a test on a keychain in a new home.
func withKeychain(_ body: (Keychain) async throws -> Void) async throws {
    try await KeychainHome.with { try await body($0.keychain) }
}

extension Certificate {
    static func fixture(_ pem: String = KeyFixtures.certificate) throws -> Certificate {
        Certificate(der: Data(try ParsedCertificate(pem: pem).der))
    }
}

extension Identity {
    static func fixture(tag: String = "tag") throws -> Identity {
        let key = try PrivateKey(pem: try #require(PEMBlock.blocks(in: KeyFixtures.p256).first))
        var half = Key(Data(key.external), keyClass: .privateKey, type: .ellipticCurve)
        half.bits = key.bits
        half.applicationTag = Data(tag.utf8)
        return Identity(certificate: try .fixture(), privateKey: half)
    }
}

import KSAgent
import KSCertificates
import Foundation
import KeychainSync
import KSPrivateKeys
import KSTestSupport
import Testing

/// A keychain in a new home with a daemon, which the first call starts.
struct KeychainHome {
    private let home: DaemonHome
    var path: String { home.path }
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

    /// Runs a test in a home, in which this program may have some groups instead of its own.
    static func with(
        groups: [String] = [],
        _ body: (KeychainHome) async throws -> Void
    ) async throws {
        try await DaemonHome.with("keychain", groups: groups) { home in
            try await body(KeychainHome(home: home))
        }
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

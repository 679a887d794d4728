import KSAgent
import KSRPC
import KSTestBench
import Testing

/// `kSecMatchIssuers` over chains of certificates.
struct IssuerChainTests {
    private static let names = ["root", "intermediate", "leaf"]

    private let keychain: TestKeychain
    private var subjects: [String: AgentValue] = [:]

    init() throws {
        keychain = try TestKeychain()
        for name in Self.names {
            let query: AgentDictionary = ["v_Ref": try Self.object(name), "r_Attributes": true]
            let added = keychain.answer(SecItemCall(.add, query))
            subjects[name] = try #require(added.result?.dictionary?["subj"])
        }
    }

    private static func object(_ name: String) throws -> AgentValue {
        .dictionary(try #require(TestObjects.shared.object(named: "cert:" + name)))
    }

    /// The certificates that are found below any of some issuers.
    private func found(below issuers: String...) throws -> SecItemReply {
        var query: AgentDictionary = ["class": "cert", "r_Ref": true, "m_Limit": "m_LimitAll"]
        query["m_Issuers"] = .array(try issuers.map { try #require(subjects[$0]) })
        return keychain.answer(SecItemCall(.copy, query))
    }

    private func list(_ names: String...) throws -> SecItemReply {
        SecItemReply(status: 0, result: .array(try names.map(Self.object)))
    }

    @Test
    func `an issuer is found any number of certificates above`() throws {
        #expect(try found(below: "root") == list("root", "intermediate", "leaf"))
        #expect(try found(below: "intermediate") == list("leaf"))
        #expect(try found(below: "leaf") == SecItemReply(status: -25300))
        #expect(try found(below: "leaf", "intermediate") == list("leaf"))
    }

    @Test
    func `a chain ends where a certificate is missing`() throws {
        let query: AgentDictionary = ["v_Ref": try Self.object("intermediate")]
        try #require(keychain.answer(SecItemCall(.delete, query)).status == 0)
        #expect(try found(below: "intermediate") == list("leaf"))
        #expect(try found(below: "root") == list("root"))
    }
}

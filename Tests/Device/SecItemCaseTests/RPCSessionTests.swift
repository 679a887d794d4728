import KSAgent
import KSRPC
import KSTestBench
import Testing

/// `rpc`, line by line, on a keychain of its own.
struct RPCSessionTests {
    private func answers(_ lines: String...) throws -> [String] {
        let session = RPCSession(keychain: try TestKeychain())
        return lines.map(session.answer)
    }

    private static let add =
        #"{"fn":"SecItemAdd","query":{"kSecClass":"kSecClassGenericPassword","#
        + #""kSecAttrService":"s","kSecAttrAccount":"a","kSecValueData":{"$data":"utf8:pw"}}}"#

    @Test
    func `the documented calls have the documented answers`() throws {
        let found = try answers(
            Self.add,
            #"{"fn":"SecItemCopyMatching","id":7,"query":{"kSecClass":"kSecClassGenericPassword","#
                + #""kSecAttrService":"s","kSecReturnData":true}}"#
        )
        #expect(
            found == [
                #"{"result":null,"status":0}"#,
                #"{"id":7,"result":{"$data":"hex:7077"},"status":0}"#,
            ]
        )
    }

    @Test(arguments: [
        "{", "[]", "\"text\"", #"{"query":{}}"#, #"{"fn":"SecItemAdd"}"#, #"{"fn":"Nothing"}"#,
        #"{"fn":"SecItemAdd","query":[]}"#, #"{"fn":"SecItemUpdate","query":{}}"#,
        #"{"fn":"SecItemAdd","query":{"kSecValueData":{"$data":"7077"}}}"#,
        #"{"fn":"SecItemAdd","query":{"kSecValueData":{"$data":"hex:7"}}}"#,
        #"{"fn":"SecItemAdd","query":{"kSecValueRef":{"$ref":"cert:none"}}}"#,
        #"{"fn":"SecItemAdd","query":{"kSecMatchValidOnDate":{"$date":"soon"}}}"#,
    ])
    func `an invalid line is answered with an error, and the next is read`(
        line: String
    ) throws {
        let found = try answers(line, Self.add)
        #expect(found[0].contains("\"error\":") && found[0].contains("\"status\":-50"))
        #expect(found[1] == #"{"result":null,"status":0}"#)
    }

    @Test
    func `an answer has the names of constants`() throws {
        let found = try answers(
            #"{"fn":"SecItemAdd","query":{"kSecClass":"kSecClassInternetPassword","#
                + #""kSecAttrServer":"h","kSecAttrAccount":"ak","#
                + #""kSecAttrProtocol":"kSecAttrProtocolHTTPS","#
                + #""kSecAttrAuthenticationType":"form","kSecReturnAttributes":true}}"#
        )
        let answer = try RPCJSON.object(found[0])
        let result = try #require(answer["result"]?.dictionary)
        #expect(result["kSecAttrProtocol"] == "kSecAttrProtocolHTTPS")
        #expect(result["kSecAttrAuthenticationType"] == "kSecAttrAuthenticationTypeHTMLForm")
        #expect(result["kSecAttrAccessible"] == "kSecAttrAccessibleWhenUnlocked")
        // Text that the user typed is not a constant.
        #expect(result["kSecAttrAccount"] == "ak")
        #expect(result["kSecAttrSynchronizable"] == 0)
        #expect(result["kSecAttrCreationDate"]?.dictionary?["$date"] != nil)
        #expect(result["kSecAttrAccessControl"]?.dictionary?["$ref"] == "access control")
    }

    @Test(arguments: [
        #""flags":0"#, #""protection":null"#, #""protection":5"#,
        #""protection":"ck","flags":"x""#,
    ])
    func `an access control without a protection, or with broken flags, is refused`(
        parts: String
    ) throws {
        let query = #"{"fn":"SecItemAdd","query":{"kSecClass":"kSecClassGenericPassword","#
        let control = #""kSecAttrAccessControl":{"$ref":"access control","#
        #expect(try answers(query + control + parts + "}}}")[0].contains("-50"))
        let whole = #""protection":"ck","flags":0"#
        #expect(try answers(query + control + whole + "}}}")[0].contains(#""status":0"#))
    }

    @Test
    func `true is no number, and 1 is no truth value`() throws {
        let query = #"{"fn":"SecItemCopyMatching","query":{"kSecClass":"kSecClassKey","#
        let found = try answers(
            query + #""kSecReturnData":1}}"#,
            query + #""kSecReturnData":true}}"#,
            query + #""kSecReturnData":false,"kSecMatchLimit":1.0}}"#
        )
        #expect(found[0].contains("-50"))
        #expect(found[1].contains("-25300"))
        #expect(found[2].contains("-25300"))
    }

    @Test
    func `a device is locked, restarted and emptied`() throws {
        let find =
            #"{"fn":"SecItemCopyMatching","query":{"kSecClass":"kSecClassGenericPassword","#
            + #""kSecReturnData":true}}"#
        let found = try answers(
            Self.add,
            #"{"fn":"Env.lock"}"#,
            find,
            #"{"fn":"Env.restartDaemon"}"#,
            find,
            #"{"fn":"Env.unlock"}"#,
            find,
            #"{"fn":"Env.setPasscode","passcode":"new"}"#,
            #"{"fn":"Env.reboot (before first unlock)"}"#,
            find,
            #"{"fn":"Env.unlock"}"#,
            find,
            #"{"fn":"Env.makeDatabaseFileUnreadable"}"#,
            find,
            #"{"fn":"Env.makeDatabaseFileReadable"}"#,
            find,
            #"{"fn":"Env.setClient","accessGroups":["other"]}"#,
            find,
            #"{"fn":"Env.reset"}"#,
            find
        )
        let statuses = try found.map { try RPCJSON.object($0)["status"]?.integer }
        #expect(
            statuses == [
                0, 0, -25308, 0, -25308, 0, 0, 0, 0, -25308, 0, 0, 0, -25291, 0, 0, 0, -25300, 0,
                -25300,
            ]
        )
    }

    @Test
    func `objects of an answer can be asked about again`() throws {
        let coding = RPCCoding(objects: TestObjects.shared)
        for name in ["cert:A", "identity:B", "key:A", "public-key:B"] {
            let object = try #require(TestObjects.shared.object(named: name))
            #expect(coding.json(.dictionary(object)) == ["$ref": .string(name)])
            // Without the name, all parts have to be given.
            let parts = RPCCoding().json(.dictionary(object))
            #expect(try RPCCoding().value(parts) == .dictionary(object))
        }
    }
}

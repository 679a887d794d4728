import KSAgent
import KSCausality
import KSDaemon
import KSMoving
import KSKeychain
import KSRecords
import KSResolution
import KSSealing
import KSTestSupport
import KSTransport
import Testing

import KSKeychainRecords
import KSSyncEngine

/// Values that hold a secret in the clear do not print it.
struct RedactionTests {
    private static let text = "correct horse battery"
    private static let secret = Array(text.utf8)

    /// All that a log, a debugger or a failed test might print of a value.
    private static func shown(_ value: Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        return [
            "\(value)", String(reflecting: value), "\([value])", "\(["key": value])", dumped,
            leaves(of: value),
        ].joined(separator: "\n")
    }

    /// The descriptions of its parts, and of their parts.
    private static func leaves(of value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        return (["\(value)"] + mirror.children.map { leaves(of: $0.value) })
            .joined(separator: "\n")
    }

    /// The secret as text, as a list of bytes, and in hexadecimal digits.
    private static let forms = [
        "correct", secret.prefix(4).map { "\($0)" }.joined(separator: ", "),
        secret.prefix(4).map { String($0, radix: 16) }.joined(),
    ]

    private static func stamp(_ time: UInt64) -> Stamp {
        Stamp(time: HybridTime(rawValue: time), actor: ActorID(rawValue: 7))
    }

    private static var item: Item {
        Item(.genericPassword, attributes: [.service: .string("mail")], secret: secret)
    }

    private static func states() throws -> [Any] {
        var record = LocalRecord()
        record.create([.secret: secret], atMilliseconds: 1)
        record.set([.secret: secret + [1]], atMilliseconds: 2)
        let edit = try #require(record.edit)
        var time: UInt64 = 10
        let sealed = record.seal { seen, _ in
            time = max(time, seen.rawValue) + 1
            return stamp(time)
        }
        record.mirror = try #require(sealed).state
        record.acknowledge()
        record.set([.secret: secret + [2]], atMilliseconds: 3)
        let state = record.view
        return [
            edit, try #require(sealed), state, record,
            StampedValue(stamp: stamp(1), value: secret),
            PastValue(name: .secret, stamp: stamp(1), value: secret),
        ]
    }

    private static func requests() throws -> [Any] {
        let arguments: AgentDictionary = [
            "server": "https://sync.example.org", "account": "ada", "device": "laptop",
            "password": .data(secret), "accountKey": .string(text),
        ]
        return [
            arguments, AgentValue.dictionary(arguments), AgentValue.array([.data(secret)]),
            AgentRequest(id: 1, call: "account.signup", arguments: arguments),
            AgentReply.result(.string(text)), try CheckedAccountForm(arguments, isLogin: false),
            try ItemAddRequest([
                "class": "genp", "attributes": ["acct": "ada"], "secret": .data(secret),
            ]),
            ServerSession(
                token: text,
                lifetimeSeconds: 1,
                account: AccountID(validated: [UInt8](repeating: 1, count: 16))
            ),
            TransportRequest(
                .get,
                "/v1/changes",
                headers: ["Authorization": "Bearer " + text]
            ),
        ]
    }

    private static func items() throws -> [Any] {
        let table = "name,url,username,password\nmail,https://example.org,ada,\(text)\n"
        let plan = try EntryFormat.readFile(SourceFile(Array(table.utf8)))
        return [
            item, ItemChanges(secret: secret), BackupItem(item), plan,
            RecordHistory.Version(standing: .current, secret: secret, milliseconds: nil),
            RecordHistory(
                id: RecordID(validated: [UInt8](repeating: 1, count: 32)),
                item: item,
                versions: [.init(standing: .current, secret: secret, milliseconds: nil)],
                attributeConflicts: [
                    .init(name: .comment, value: .string(text), milliseconds: nil)
                ],
                isDeletedElsewhere: false
            ),
        ]
    }

    @Test
    func `no value shows the secret that it holds`() throws {
        let values = try Self.states() + Self.requests() + Self.items()
        for value in values {
            let shown = Self.shown(value)
            for form in Self.forms {
                #expect(!shown.contains(form), "\(type(of: value)) shows \(form)")
            }
        }
    }

    @Test
    func `an Account Key shows neither its bytes nor its text`() throws {
        let key = AccountKey.random(from: SeededRandomSource(seed: 3))
        let shown = Self.shown(key)
        #expect(shown.contains("AccountKey(redacted)"))
        #expect(!shown.contains(key.text.dropFirst(3).prefix(5)))
        #expect(!shown.contains(key.bytes.prefix(3).map { "\($0)" }.joined(separator: ", ")))
    }

    /// Checks that the search finds an unprotected secret.
    @Test(arguments: [secret as any Sendable, text as any Sendable, [[secret]] as any Sendable])
    func `a value without protection is noticed`(value: any Sendable) {
        let shown = Self.shown(value)
        #expect(Self.forms.contains { shown.contains($0) })
    }
}

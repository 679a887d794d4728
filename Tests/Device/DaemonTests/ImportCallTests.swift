import KSSealing
import KSAgent
import KSDaemon
import KSImporting
import KSKeychain
import KSKeychainFiles
import Testing

import KSSyncClient

/// Reports on rows that only the keychain can refuse.
struct ImportCallTests {
    @Test
    func `a row that the keychain does not take is reported in one sentence`() async throws {
        let world = try HandlerWorld()
        let rows = """
            name,url,username,password,note
            a,https://large.example,me,\(String(repeating: "x", count: 70_000)),
            b,https://taken.example,me,of the file,
            c,https://two.example,me,first,
            c,https://two.example,me,second,

            """
        let plan = try ImportPlan(bytes: Array(rows.utf8), format: nil)
        var bound = try Item(#require(plan.items.dropFirst().first))
        bound.attributes[.accessible] = .string(ProtectionClass.whenUnlockedThisDeviceOnly.letters)
        bound.secret = Array("stays here".utf8)
        let item = bound
        try await world.owner.with { keychain in
            try keychain.write { database in
                _ = try keychain.add(
                    item,
                    access: KeychainFile.access,
                    in: database
                )
            }
        }
        let reply = await world.answer(
            "import",
            ["file": .data(Array(rows.utf8))],
            of: HandlerWorld.keychain
        )
        guard case .result(let answer) = reply, let counts = answer.dictionary else {
            Issue.record("\(reply)")
            return
        }
        let sentences = (counts["findings"]?.array ?? []).map { $0.dictionary?["sentence"]?.string }
        #expect(
            sentences == [
                "Row 2: not imported: it is larger than an item may be (64 KiB).",
                "Row 3: not imported: an item that stays on this device has its key.",
                "Row 5: not imported: its login has another password, and without an account there"
                    + " is no history to keep this one in; sign up first and import again.",
            ]
        )
        // Without an account there is no history, and no line names one.
        #expect(
            try ImportLines.lines(ImportedPasswords(answer)) == [
                "Layout: chrome.", "4 rows, 3 items: 1 added, 0 were there already.",
                "3 rows were not imported: 2-3, 5.",
            ]
        )
    }
}

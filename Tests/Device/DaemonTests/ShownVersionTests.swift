import KSDaemon
import KSDigests
import KSKeychain
import KSKeychainRecords
import KSRecords
import KSResolution
import KSTestSupport
import Testing

/// The number of a version means the value that was shown under it, or nothing.
struct ShownVersionTests {
    private func history(_ secrets: [String], of record: UInt8 = 1) -> RecordHistory {
        RecordHistory(
            id: RecordID(validated: [UInt8](repeating: record, count: RecordID.byteCount)),
            item: Item(.genericPassword, attributes: [:]),
            versions: secrets.enumerated().map { number, secret in
                RecordHistory.Version(
                    standing: number == 0 ? .current : .superseded,
                    secret: Array(secret.utf8),
                    milliseconds: UInt64(1000 - number)
                )
            },
            attributeConflicts: [],
            isDeletedElsewhere: false
        )
    }

    private func secret(
        _ number: Int64,
        _ shown: ShownVersions,
        _ history: RecordHistory
    ) throws -> String {
        String(decoding: try shown.value(of: number, in: history).value, as: UTF8.self)
    }

    @Test
    func `a number means what was shown, wherever the value stands now`() throws {
        var shown = ShownVersions(key: [1])
        let before = history(["now", "b", "a"])
        #expect(throws: ShownVersionError.notShown) { try secret(1, shown, before) }
        shown.note(before)
        #expect(try secret(1, shown, before) == "b" && secret(2, shown, before) == "a")
        let after = history(["new", "now", "b", "a"])
        #expect(try secret(1, shown, after) == "b" && secret(2, shown, after) == "a")
        #expect(throws: ShownVersionError.noSuchNumber(upTo: 2)) { try secret(3, shown, after) }
        #expect(throws: ShownVersionError.noSuchNumber(upTo: 2)) { try secret(0, shown, after) }
        let shorter = history(["new", "now", "b"])
        #expect(throws: ShownVersionError.isGone) { try secret(2, shown, shorter) }
        shown.note(history(["alone"]))
        #expect(throws: ShownVersionError.noVersions) { try secret(1, shown, before) }
        shown.note(before)
        shown.forget()
        #expect(throws: ShownVersionError.notShown) { try secret(1, shown, before) }
    }

    /// Whatever happens to a history after it was shown.
    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `a number never means another value`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var shown = ShownVersions(key: [UInt8(truncatingIfNeeded: seed)])
        var secrets = (0..<Int.random(in: 1...8, using: &random)).map { "old \($0)" }
        shown.note(history(secrets))
        let listed = Array(secrets.dropFirst())
        for step in 0..<20 {
            switch Int.random(in: 0..<3, using: &random) {
            case 0: secrets.insert("new \(step)", at: 0)
            case 1 where secrets.count > 1:
                secrets.remove(at: Int.random(in: 1..<secrets.count, using: &random))
            default: secrets[1...].shuffle(using: &random)
            }
            let present = history(secrets)
            for number in -1...Int64(listed.count + 1) {
                // Any error says that the number stands for nothing now.
                guard let found = try? secret(number, shown, present) else {
                    let isListed = number > 0 && number <= listed.count
                    #expect(!isListed || !secrets.dropFirst().contains(listed[Int(number) - 1]))
                    continue
                }
                #expect(found == listed[Int(number) - 1])
            }
        }
    }
}

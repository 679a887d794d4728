import KSCausality
import KSRecords
import KSResolution
import Testing

/// The replaced secrets that an unsent edit keeps.
struct EditSizeTests {
    private func setSecrets(_ numbers: Range<UInt8>, of record: inout LocalRecord) {
        for number in numbers {
            record.set(
                [.secret: [UInt8](repeating: number, count: 50_000)],
                atMilliseconds: 2000 + UInt64(number)
            )
        }
    }

    @Test
    func `an unsent edit keeps as many secrets as the history`() throws {
        var ann = Author(1)
        var record = LocalRecord(mirror: try shared(by: &ann))
        setSecrets(0..<10, of: &record)
        let edit = try #require(record.edit)
        #expect(edit.encoded.count <= RecordKind.keychain.editBytesMax)
        let state = try ann.seal(&record)
        #expect(state.shownSecret?.first == 9)
        // The secret that was sent before is small enough to stay.
        #expect(state.shownHistory.map { $0.value?.first } == [8, 7, UInt8(ascii: "s")])
    }

    @Test
    func `so does a batch that was taken apart, below later edits`() throws {
        var ann = Author(1)
        var record = LocalRecord(mirror: try shared(by: &ann))
        setSecrets(0..<4, of: &record)
        let made = record.seal { seen, clock in ann.stamp(seen, clock) }
        let sealed = try #require(made)
        setSecrets(4..<8, of: &record)
        let edit = try #require(sealed.unsealed(under: record.edit))
        #expect(edit.encoded.count <= RecordKind.keychain.editBytesMax)
        #expect(edit.companions.map { $0.value.first } == [5, 6])
    }
}

import KSCausality
import KSRecords
import KSResolution
import Testing

/// Earlier values that the user had forgotten.
struct ForgettingTests {
    private static let file = ValueName(kind: ValueName.Kind.extra, nameBytes: bytes("fscan.pdf"))

    /// An item with the secret s3, and s1 and s2 in its history.
    private func start(by author: inout Author) throws -> LocalRecord {
        var record = LocalRecord(mirror: try shared(by: &author))
        for secret in ["s2", "s3"] {
            record.set([.secret: bytes(secret)], atMilliseconds: author.clock + 1)
            _ = try author.push(&record)
        }
        return record
    }

    private func forget(_ secrets: Set<String>, in record: inout LocalRecord) -> Int {
        record.forget(atMilliseconds: 5000) { past in
            text(past.value).map(secrets.contains) ?? false
        }
    }

    @Test
    func `one earlier secret is forgotten and the others stay`() throws {
        var ann = Author(1)
        var record = try start(by: &ann)
        let before = record.view
        #expect(forget(["s1"], in: &record) == 1)
        #expect(texts(record.view.shownHistory) == ["s2"])
        #expect(record.view.shownFields == before.shownFields)
        let edit = try #require(record.edit)
        #expect(try PendingEdit(decoding: edit.encoded) == edit)
        let state = try ann.push(&record)
        #expect(texts(state.shownHistory) == ["s2"] && text(state.shownSecret) == "s3")
        #expect(state.shownFields == before.shownFields)
        #expect(!contains(state.encoded, bytes("s1")))
        #expect(try RecordState(decoding: state.encoded) == state)
        #expect(forget(["s1"], in: &record) == 0 && record.edit == nil)
    }

    @Test
    func `an older state of another device does not bring it back, whatever the order`() throws {
        var ann = Author(1)
        var record = try start(by: &ann)
        let before = try #require(record.mirror)
        _ = forget(["s1", "s2"], in: &record)
        let after = try ann.push(&record)
        var bob = Author(2)
        var other = LocalRecord(mirror: before)
        other.set([.secret: bytes("s4")], atMilliseconds: 6000)
        let concurrent = try bob.push(&other)
        for joined in [after.joined(with: concurrent), concurrent.joined(with: after)] {
            #expect(texts(joined.shownHistory) == ["s3"] && text(joined.shownSecret) == "s4")
        }
        #expect(after.joined(with: before) == after)
    }

    @Test
    func `what another device has forgotten meanwhile is not sent again`() throws {
        var (ann, bob) = (Author(1), Author(2))
        var record = try start(by: &ann)
        var other = record
        _ = forget(["s1"], in: &record)
        _ = forget(["s1"], in: &other)
        other.mirror = try ann.push(&record)
        #expect(other.edit?.isVoid(over: try #require(other.mirror)) == true)
        #expect(other.seal { seen, clock in bob.stamp(seen, clock) } == nil)
    }

    @Test
    func `a value that is replaced later goes into the history as always`() throws {
        var ann = Author(1)
        var record = try start(by: &ann)
        _ = forget(["s1", "s2"], in: &record)
        _ = try ann.push(&record)
        record.set([.secret: bytes("s4")], atMilliseconds: 7000)
        #expect(texts(try ann.push(&record).shownHistory) == ["s3"])
    }

    @Test
    func `what was not sent yet is forgotten too, also when its batch is taken apart`() throws {
        var ann = Author(1)
        var record = try start(by: &ann)
        record.set([.secret: bytes("s4")], atMilliseconds: 6000)
        record.set([.secret: bytes("s5")], atMilliseconds: 6001)
        _ = try ann.seal(&record)
        record.set([.secret: bytes("s6")], atMilliseconds: 6002)
        #expect(texts(record.view.shownHistory) == ["s5", "s4", "s3", "s2", "s1"])
        #expect(forget(["s5", "s4", "s1"], in: &record) == 3)
        #expect(texts(record.view.shownHistory) == ["s3", "s2"])
        _ = record.takeApart()
        #expect(texts(record.view.shownHistory) == ["s3", "s2"])
        let state = try ann.push(&record)
        #expect(texts(state.shownHistory) == ["s3", "s2"] && text(state.shownSecret) == "s6")
    }

    @Test
    func `a concurrent value is not in the history yet, so it stays`() throws {
        var (ann, bob) = (Author(1), Author(2))
        let start = try start(by: &ann)
        var (left, right) = (start, start)
        left.set([.secret: bytes("left")], atMilliseconds: 6000)
        right.set([.secret: bytes("right")], atMilliseconds: 6001)
        var record = LocalRecord(
            mirror: try ann.push(&left).joined(with: try bob.push(&right))
        )
        #expect(forget(["left", "right", "s1", "s2", "s3"], in: &record) == 3)
        let state = try ann.push(&record)
        #expect(text(state.shownSecret) == "right")
        #expect(texts(state.conflictingSecrets) == ["left"] && state.shownHistory.isEmpty)
    }

    @Test
    func `a forgotten attachment leaves no megabyte behind`() throws {
        var ann = Author(1)
        var record = try start(by: &ann)
        let large = [UInt8](repeating: 7, count: 1 << 20)
        record.set([Self.file: large], atMilliseconds: 6000)
        _ = try ann.push(&record)
        record.set([Self.file: nil], atMilliseconds: 6001)
        #expect(try ann.push(&record).encoded.count > 1 << 20)
        let count = record.forget(atMilliseconds: 6002) { $0.name == Self.file }
        let state = try ann.push(&record)
        #expect(count == 1 && state.encoded.count < 2000)
        #expect(texts(state.shownHistory) == ["s2", "s1"])
    }

    @Test
    func `a program that knows no forgotten values is asked to be updated`() throws {
        var ann = Author(1)
        var record = try start(by: &ann)
        #expect(record.mirror?.encoded.first == 1)
        _ = forget(["s1"], in: &record)
        #expect(try ann.push(&record).encoded.first == 2)
    }

    private func contains(_ haystack: [UInt8], _ needle: [UInt8]) -> Bool {
        haystack.indices.contains { haystack[$0...].starts(with: needle) }
    }
}

extension EditSizeTests {
    private static let file = ValueName(kind: ValueName.Kind.extra, nameBytes: bytes("fscan.pdf"))

    @Test
    func `an attachment of a megabyte that was never sent is in the history once it is removed`()
        throws
    {
        var ann = Author(1)
        var record = LocalRecord(mirror: try shared(by: &ann))
        let large = [UInt8](repeating: 7, count: 1 << 20)
        record.set([Self.file: large], atMilliseconds: 2000)
        record.set([Self.file: nil], atMilliseconds: 2001)
        #expect(record.view.shownHistory(of: Self.file).map(\.value) == [large])
        #expect(try #require(record.edit).encoded.count <= RecordKind.keychain.editBytesMax)
        #expect(try ann.seal(&record).shownHistory(of: Self.file).map(\.value) == [large])
    }

    @Test
    func `present attachments leave less room for removed ones, and the edit is never too large`()
        throws
    {
        var ann = Author(1)
        var record = LocalRecord(mirror: try shared(by: &ann))
        for number in 0..<8 as Range<UInt8> {
            let value = [UInt8](repeating: number, count: (300 << 10) + Int(number))
            record.set([Self.file: value], atMilliseconds: 2000 + UInt64(number))
        }
        record.set(
            [note: [UInt8](repeating: 1, count: 1 << 20)],
            atMilliseconds: 3000
        )
        #expect(try #require(record.edit).encoded.count <= RecordKind.keychain.editBytesMax)
        #expect(record.view.shownHistory(of: Self.file).count == 1)
    }
}

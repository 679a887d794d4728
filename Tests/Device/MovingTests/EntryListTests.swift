import Foundation
import KSTestSupport
import Testing

import KSMoving

/// Entries that are kept as bytes.
struct EntryListTests {
    /// Every part, with the values that are missing and those that are empty.
    private func entries(_ seed: UInt64) -> [Entry] {
        var maker = EntryMaker(seed: seed)
        return (0..<300).map { number in
            var entry = maker.entry()
            entry.place = maker.chance(50) ? "place \(number)" : ""
            entry.realm = maker.pick([nil, "", "realm"])
            entry.isFavorite = maker.pick([nil, true, false])
            entry.isSynced = maker.pick([nil, true, false])
            entry.hasOwnPlace = maker.pick([nil, true, false])
            entry.itemClass = maker.pick([nil, "genp", "inet"])
            if maker.chance(20) { entry.secret = maker.pick([nil, [], [0xFF, 0, 0x80]]) }
            if maker.chance(20) { entry.changed = maker.pick([nil, -1, .min, .max, 0]) }
            if maker.chance(10) {
                let large = [UInt8](repeating: UInt8(number % 256), count: 200_000)
                entry.fields.append(.init("file", "file", large))
            }
            var attribute = Entry.Attribute("crtr")
            attribute.text = maker.pick([nil, "", "text"])
            attribute.data = maker.pick([nil, [], [1, 2]])
            attribute.integer = maker.pick([nil, 0, -7])
            attribute.date = maker.pick([nil, "812345678.25"])
            if maker.chance(50) { entry.attributes = [attribute] }
            entry.history.append(
                .init("field", name: "pin", kind: "secret", value: [1], time: maker.pick([nil, 5]))
            )
            return entry
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `entries come back as they were, also those that were set`(seed: UInt64) {
        var entries = entries(seed)
        var list = EntryList(entries)
        #expect(list.elementsEqual(entries), "seed \(seed)")
        var maker = EntryMaker(seed: seed + 1)
        for index in stride(from: 3, to: entries.count, by: 7) {
            entries[index] = maker.entry()
            list[index] = entries[index]
            list[index].tags.append("added")
            entries[index].tags.append("added")
        }
        #expect(list.elementsEqual(entries), "seed \(seed)")
        #expect(list != EntryList(entries.dropLast()))
    }

    /// A new part of entries has to be in their bytes too.
    @Test
    func `the bytes of an entry have each of its parts`() throws {
        var entry = Entry()
        (entry.realm, entry.itemClass, entry.secret) = ("", "", [])
        (entry.isFavorite, entry.isSynced, entry.hasOwnPlace) = (true, true, true)
        (entry.created, entry.changed) = (1, 1)
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(entry))
        #expect((json as? [String: Any])?.count == 18)
    }

    /// Placing takes the entries out of what was read, one after the other.
    @Test(arguments: 0..<5 as Range<UInt64>)
    func `entries with places of their own keep all that they have`(seed: UInt64) {
        let entries = entries(seed).enumerated().map { number, given in
            var entry = given
            (entry.itemClass, entry.place) = ("genp", "place \(number)")
            return entry
        }
        var read = ReadEntries(format: "test")
        for (index, entry) in entries.enumerated() { read.append(entry, number: index + 1) }
        let placing = EntryPlacing(taking: &read)
        #expect(read.entries.isEmpty && placing.entries.count == entries.count)
        for (before, after) in zip(entries, placing.entries) {
            var before = before
            before.hasOwnPlace = true
            #expect(after == before, "seed \(seed)")
        }
    }
}

/// Entries in a form that takes little memory: as bytes, one after the other.
///
/// An entry in memory takes several times its texts, and a file may have a hundred thousand.
package struct EntryList: RandomAccessCollection, MutableCollection, Sendable {
    private struct Place {
        let chunk: Int32
        let offset: Int32
    }

    /// An array that grows is there twice meanwhile, so there are many of this size.
    ///
    /// An entry never lies in two of them; a larger one has one of its own.
    private static let chunkBytes = 1 << 16

    private var chunks: [[UInt8]] = []
    private var places: [Place] = []
    private(set) var bytesCount = 0
    /// Entries that were set, which are few: writing them again would leave holes.
    private var changed: [Int: Entry] = [:]

    package init() {}

    package init(_ entries: some Sequence<Entry>) {
        for entry in entries { append(entry) }
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { places.count }

    package subscript(position: Int) -> Entry {
        get {
            if !changed.isEmpty, let entry = changed[position] { return entry }
            let place = places[position]
            var decoder = EntryDecoder(chunks[Int(place.chunk)], at: Int(place.offset))
            return decoder.entry()
        }
        set { changed[position] = newValue }
    }

    package mutating func append(_ entry: Entry) { places.append(store(entry)) }

    private mutating func store(_ entry: Entry) -> Place {
        var encoder = EntryEncoder()
        encoder.write(entry)
        let bytes = encoder.bytes
        bytesCount += bytes.count
        if let last = chunks.indices.last, chunks[last].count + bytes.count <= Self.chunkBytes {
            chunks[last] += bytes
            return Place(chunk: Int32(last), offset: Int32(chunks[last].count - bytes.count))
        }
        var chunk: [UInt8] = []
        chunk.reserveCapacity(Swift.max(Self.chunkBytes, bytes.count))
        chunk += bytes
        chunks.append(chunk)
        return Place(chunk: Int32(chunks.count - 1), offset: 0)
    }

    /// Calls `body` with each entry in turn, and frees the memory behind it.
    mutating func drain(_ body: (_ index: Int, Entry) -> Void) {
        var chunk: Int32 = 0
        for (index, place) in places.enumerated() {
            if place.chunk > chunk {
                chunks[Int(chunk)] = []
                chunk = place.chunk
            }
            body(index, self[index])
        }
        self = EntryList()
    }
}

extension EntryList: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: Entry...) { self.init(elements) }
}

extension EntryList: Equatable {
    package static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }
}

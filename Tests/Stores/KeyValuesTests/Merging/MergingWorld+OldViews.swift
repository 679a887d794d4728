import KSKeyValues
import KSResolution
import KSTestSupport

// Programs that write what they made of a view which they read some steps ago.

extension MergingWorld {
    private static let name = EntryName(store: .app, key: "key")

    static let identity: [ValueName: [UInt8]] = [
        .field("store"): Array("app".utf8), .field("key"): Array("key".utf8),
    ]

    /// Reads, or writes over what was read before.
    mutating func actOnWhatWasRead(by device: Int) {
        let view = devices[device].record.view
        guard view.isAlive else { return }
        guard let read = devices[device].read, chance(60) else {
            devices[device].read = EntryReading(view)?.value
            return
        }
        switch (type, read) {
        case (.counter, .integer(let number)):
            let step = Int.random(in: 1...9, using: &random)
            write(.integer(number + Int64(step)), over: read, [.increment([], step)], on: device)
        case (.set, .array(let elements)): changeSet(elements, on: device)
        case (.map, .dictionary(let fields)): changeMap(fields, MergedMap(view), on: device)
        case (.list, .array(let elements)):
            changeList(elements.map(\.encoded), MergedList(view), on: device)
        default: act(on: device)
        }
    }

    /// Writes a whole value over the one that was read.
    private mutating func write(
        _ value: PropertyValue,
        over base: PropertyValue,
        _ changes: [OperationLog.Change],
        on device: Int
    ) {
        var record = devices[device].record
        do throws(KeyValueError) {
            let base = bug == .forgottenView ? nil : base
            try carryOut(.set(value, base: base), on: &record, of: device)
            if !changes.isEmpty { note(changes, on: device) }
            devices[device].record = record
            devices[device].read = value
        } catch {
            difference = difference ?? "a write over an old view was refused: \(error)"
        }
    }

    private mutating func carryOut(
        _ write: EntryWrite,
        on record: inout LocalRecord,
        of device: Int
    ) throws(KeyValueError) {
        let clock = clock(of: device)
        var generator = random
        try write.apply(
            to: &record,
            of: Self.name,
            random: { count in
                (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            },
            atMilliseconds: clock
        )
        random = generator
    }

    private mutating func changeSet(_ read: [PropertyValue], on device: Int) {
        guard let new = PropertyValue(decoded: value(upTo: 2)) else { return }
        var elements = read
        if !elements.isEmpty, chance(50) { elements.remove(at: index(below: elements.count)) }
        if !elements.contains(new) { elements.append(new) }
        let added = elements.filter { !read.contains($0) }
        let removed = read.filter { !elements.contains($0) }
        write(
            .array(elements),
            over: .array(read),
            added.map { .add($0.encoded) } + removed.map { .remove($0.encoded) },
            on: device
        )
    }

    private mutating func changeMap(
        _ read: PropertyDictionary,
        _ map: MergedMap,
        on device: Int
    ) {
        let name = Self.fields[index(below: Self.fields.count)]
        let field = String(decoding: name, as: UTF8.self)
        let step = Int.random(in: 1...9, using: &random)
        var fields = read.entries.map { ($0.key, $0.value) }.filter { $0.0 != field }
        var changes: [OperationLog.Change] = []
        let now = map.plain[name]
        switch (read[field], now) {
        case (let old?, _) where chance(30):
            // A newer value stays.
            if now == .value(old.encoded) { changes = [.removeField(name)] }
            if case .number? = now { changes = [.removeField(name)] }
        case (.integer(let old), .number?):
            fields.append((field, .integer(old + Int64(step))))
            changes = [.increment(name, step)]
        case (_, .number?): return
        case (let old, _):
            guard let new = PropertyValue(decoded: value(upTo: 2)), new != old else { return }
            fields.append((field, new))
            changes = [.setField(name, new.encoded)]
        }
        write(.dictionary(PropertyDictionary(fields)), over: .dictionary(read), changes, on: device)
    }

    // MARK: Lists

    private mutating func changeList(_ read: [[UInt8]], _ list: MergedList, on device: Int) {
        let value = value()
        guard !list.values.contains(value), !read.contains(value) else { return }
        let index = index(below: read.count + 1)
        let place = ListPlace.seen(SeenPlace(index, in: read))
        devices[device].read = nil
        do throws(KeyValueError) {
            switch self.index(below: 10) {
            case 0..<3 where index < read.count:
                let isByIndex = bug == .removalByIndex && index < list.elements.count
                let removed: ListPlace = isByIndex ? .index(index) : place
                try apply(list.remove(at: removed), from: list, on: device, creates: false)
                check(list.values, without: read[index], in: read, on: device)
            case 3..<5 where index < read.count:
                let edit = try list.set(value, at: place, using: &random)
                try apply(edit, from: list, on: device, creates: false)
            case 5..<7 where index < read.count:
                var others = read
                others.remove(at: index)
                let target = ListPlace.seen(SeenPlace(self.index(below: read.count), in: others))
                let edit = try list.move(from: place, to: target, using: &random)
                try apply(edit, from: list, on: device, creates: false)
            case 7..<9:
                let edit = try list.insert(run(of: value, count: 2), at: place, using: &random)
                try apply(edit, from: list, on: device, creates: false)
            default:
                var elements = read
                elements.insert(value, at: index)
                let write = EntryWrite.set(
                    .array(elements.compactMap { PropertyValue(decoded: $0) }),
                    base: .array(read.compactMap { PropertyValue(decoded: $0) })
                )
                var changed = devices[device].record
                try carryOut(write, on: &changed, of: device)
                let record = changed
                try change(list, on: device) { $0 = record }
            }
        } catch {
            difference = difference ?? "a write over an old list was refused: \(error)"
        }
    }

    /// Checks that a removal took the element that was read, and no other one.
    private mutating func check(
        _ before: [[UInt8]],
        without value: [UInt8],
        in read: [[UInt8]],
        on device: Int
    ) {
        guard (read + before).count(where: { $0 == value }) <= 2 else { return }
        let now = MergedList(devices[device].record.view).values
        if now != before.filter({ $0 != value }) {
            difference = difference ?? "the removal of an element took another one, or none"
        }
    }
}

extension PropertyValue {
    fileprivate init?(decoded bytes: [UInt8]) {
        // Bytes that hold no value show none.
        guard let value = try? PropertyValue(decoding: bytes) else { return nil }
        self = value
    }
}

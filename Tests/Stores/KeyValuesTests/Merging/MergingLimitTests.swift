import KSCausality
import KSKeyValues
import KSResolution
import KSTestSupport
import Testing

/// Bounds, plain writes and positions of the merge types, on one device.
struct MergingLimitTests {
    private var record = LocalRecord()
    private var random = SeededGenerator(seed: 7)

    private mutating func apply(
        _ edit: EntryEdit,
        _ type: MergeType,
        _ limits: MergeLimits = .standard
    ) throws(KeyValueError) {
        try record.apply(edit, as: type, limits: limits, atMilliseconds: 1000)
    }

    private func elements(_ count: Int) -> [[UInt8]] {
        (0..<count).map { [UInt8($0 >> 16), UInt8($0 >> 8 & 255), UInt8($0 & 255)] }
    }

    @Test
    mutating func `a set holds 4,096 elements, and may shrink from more`() throws {
        try apply(MergedSet.add(elements(4095)), .set)
        try apply(MergedSet.add([[99, 1, 1]]), .set)
        let full = record
        #expect(throws: KeyValueError.limitExceeded(.elements, wanted: 4097, max: 4096)) {
            try record.apply(MergedSet.add([[99, 1, 2]]), as: .set, atMilliseconds: 1)
        }
        #expect(record == full)
        var small = MergeLimits()
        small.elementsMax = 10
        try apply(MergedSet.remove([[0, 0, 0]]), .set, small)
        #expect(MergedSet(record.view).elements.count == 4095)
    }

    /// Positions of 65,026 elements need three digits.
    @Test(arguments: [4097, 65_026])
    mutating func `a list of any length is refused beyond 4,096 elements`(count: Int) throws {
        let values = elements(count)
        let list = MergedList(record.view)
        let difference = try list.difference(to: values, using: &random)
        #expect(throws: KeyValueError.limitExceeded(.elements, wanted: count, max: 4096)) {
            try record.apply(difference, as: .list, atMilliseconds: 1)
        }
        #expect(record == LocalRecord())
        // What a device keeps when it leaves an account may exceed the limits.
        try apply(difference, .list, .none)
        #expect(MergedList(record.view).elements.map(\.value) == values)
    }

    @Test
    mutating func `a state has at most 256 KiB`() throws {
        let large = [UInt8](repeating: 1, count: 256 << 10)
        #expect(throws: KeyValueError.self) {
            try record.apply(MergedSet.add([large]), as: .set, atMilliseconds: 1)
        }
        #expect(record == LocalRecord())
        try apply(MergedSet.add([Array(large.dropLast(200))]), .set)
    }

    @Test
    mutating func `a counter has at most 1,024 actors`() throws {
        for actor in 1...1024 as ClosedRange<UInt64> {
            try apply(Counter.increment(by: 1), .counter)
            record.push(as: actor)
        }
        #expect(Counter(record.view).value == 1024)
        #expect(throws: KeyValueError.limitExceeded(.counterActors, wanted: 1025, max: 1024)) {
            try record.apply(Counter.increment(by: 1), as: .counter, atMilliseconds: 1)
        }
    }

    @Test
    mutating func `a counter's value is clamped and says so`() throws {
        try apply(Counter.reset(to: .max), .counter)
        #expect(!Counter(record.view).isClamped)
        try apply(Counter.increment(by: .max), .counter)
        let counter = Counter(record.view)
        #expect(counter.value == .max && counter.isClamped)
        #expect(counter.exactValue == 2 * Int128(Int64.max))
        try apply(Counter.difference(from: Int128(Int64.max), to: .min), .counter)
        #expect(Counter(record.view).exactValue == Int128(Int64.max) + Int128(Int64.min))
    }

    @Test
    mutating func `a device continues to count when its totals reach their limit`() throws {
        for _ in 0..<6 {
            try apply(Counter.increment(by: .max), .counter)
            record.push(as: 1)
        }
        #expect(Counter(record.view).exactValue == 6 * Int128(Int64.max))
        try apply(Counter.reset(to: 1), .counter)
        try apply(Counter.increment(by: 2), .counter)
        record.push(as: 1)
        #expect(Counter(record.view).exactValue == 3)
    }

    @Test
    mutating func `an entry of another type is refused, and one of an unknown type is kept`() throws
    {
        try apply(Counter.increment(by: 1), .counter)
        #expect(throws: KeyValueError.typeMismatch(declared: .counter, wanted: .set)) {
            try record.apply(MergedSet.add([[1]]), as: .set, atMilliseconds: 1)
        }
        record.set([.field("type"): [200]], atMilliseconds: 2000)
        #expect(Declaration(record.view)?.shown == .unknown([200]))
        #expect(throws: KeyValueError.newerType) {
            try record.apply(Counter.increment(by: 1), as: .counter, atMilliseconds: 1)
        }
    }

    @Test
    func `concurrent declarations are reported, and the hidden values kept`() throws {
        var (one, other) = (MergingLimitTests(), MergingLimitTests())
        try one.apply(Counter.increment(by: 5), .counter)
        try other.apply(MergedSet.add([[1]]), .set)
        one.record.push(as: 1)
        other.record.push(as: 2)
        let joined = try #require(one.record.mirror).joined(with: #require(other.record.mirror))
        let declaration = try #require(Declaration(joined))
        #expect(declaration.shown == .known(.set) && declaration.others == [.known(.counter)])
        #expect(declaration.hidden == [.counter])
        #expect(Counter(joined).value == 5 && MergedSet(joined).elements == [[1]])
        #expect(EntryReading.conflictingValues(of: joined) == [.integer(5)])
    }

    @Test
    func `all values of a register that is not shown are listed`() throws {
        var one = MergingLimitTests()
        try one.apply(Register.set(PropertyValue.string("old").encoded), .register)
        one.record.push(as: 1)
        var (other, third) = (one, one)
        try other.apply(Register.set(PropertyValue.string("b").encoded), .register)
        other.record.push(as: 2)
        try third.apply(Register.set(PropertyValue.string("c").encoded), .register)
        third.record.push(as: 3)
        // The new entry removes the register's value, with a later stamp than those of the others.
        one.record.delete(atMilliseconds: 1000)
        try one.apply(MergedSet.add([[1]]), .set)
        one.record.push(as: 4)
        let mirrors = [one, other, third].compactMap(\.record.mirror)
        #expect(mirrors.count == 3)
        let joined = RecordState.join(mirrors)
        let declaration = try #require(Declaration(joined))
        #expect(declaration.shown == .known(.set) && declaration.others == [.known(.register)])
        #expect(EntryReading.conflictingValues(of: joined) == [.string("c"), .string("b")])
    }

    @Test
    func `a register beside a maximum is listed, and the shown number is not`() throws {
        var (one, other) = (MergingLimitTests(), MergingLimitTests())
        try one.apply(Register.set(PropertyValue.string("text").encoded), .register)
        try other.apply(Register.set(PropertyValue.integer(5).encoded), .maximum)
        one.record.push(as: 1)
        other.record.push(as: 2)
        let joined = try #require(one.record.mirror).joined(with: #require(other.record.mirror))
        let declaration = try #require(Declaration(joined))
        #expect(declaration.shown == .known(.maximum) && declaration.others == [.known(.register)])
        #expect(EntryReading.conflictingValues(of: joined) == [.string("text")])
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `a written plain list becomes few changes of the existing one`(seed: UInt64) throws {
        var test = MergingLimitTests()
        var random = SeededGenerator(seed: seed)
        for _ in 0..<8 {
            let list = MergedList(test.record.view)
            var values = list.values
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let value = [UInt8.random(in: 0...9, using: &random)]
                let place = Int.random(in: 0...values.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0..<2: values.insert(value, at: place)
                case 2: if !values.isEmpty { values.removeLast(min(2, values.count)) }
                default: values.shuffle(using: &random)
                }
            }
            try test.apply(list.difference(to: values, using: &random), .list)
            #expect(MergedList(test.record.view).values == values)
        }
    }

    @Test
    mutating func `a moved element keeps its id, and a changed one too`() throws {
        try apply(MergedList(record.view).insert([[1], [2], [3]], at: 0, using: &random), .list)
        let old = MergedList(record.view).elements
        try apply(MergedList(record.view).difference(to: [[3], [1], [9]], using: &random), .list)
        let new = MergedList(record.view).elements
        #expect(new.map(\.id) == [old[2].id, old[0].id, old[1].id])
    }

    @Test
    mutating func `positions at the ends stay short, and those between neighbours are bounded`()
        throws
    {
        for number in 0..<600 {
            let list = MergedList(record.view)
            let edit = try list.insert(
                [[UInt8(number % 256)]],
                at: number % 2 == 0 ? 0 : list.elements.count,
                using: &random
            )
            try apply(edit, .list)
        }
        #expect(MergedList(record.view).elements.allSatisfy { $0.position.count == 7 })
        var inserted = 0
        do throws(KeyValueError) {
            while true {
                try apply(MergedList(record.view).insert([[1]], at: 1, using: &random), .list)
                inserted += 1
            }
        } catch {
            #expect(error == .limitExceeded(.positionBytes, wanted: 65, max: 64))
        }
        #expect(inserted > 300)
        let values = MergedList(record.view).values
        try apply(MergedList(record.view).rebalance(using: &random), .list)
        let list = MergedList(record.view)
        #expect(list.values == values && list.elements.allSatisfy { $0.position.count <= 9 })
    }

    /// Devices whose random bytes are the same, for a position, insert elements with ids of their
    /// own.
    @Test
    mutating func `two devices show equal positions in one order, and insert between them`() throws
    {
        var shared = MergingLimitTests()
        try shared.apply(MergedList(RecordState()).insert([[1]], at: 0, using: &random), .list)
        shared.record.push(as: 9)
        var devices: [MergingLimitTests] = []
        for actor in 1...2 as ClosedRange<UInt64> {
            var device = shared
            var random = EqualPositions(rest: SeededGenerator(seed: actor))
            let list = MergedList(device.record.view)
            try device.apply(list.insert([[UInt8(actor) + 1]], at: 1, using: &random), .list)
            device.record.push(as: actor)
            devices.append(device)
        }
        let mirrors = devices.compactMap(\.record.mirror)
        let lists = [mirrors, mirrors.reversed()].map { MergedList(RecordState.join($0)) }
        #expect(lists[0] == lists[1] && lists[0].elements.count == 3)
        let tied = lists[0].elements.dropFirst()
        #expect(Set(tied.map(\.position)).count == 1)
        #expect(tied.first?.id.lexicographicallyPrecedes(tied.last?.id ?? []) == true)

        devices[0].record.mirror = RecordState.join(mirrors)
        let before = lists[0].values
        try devices[0].apply(lists[0].insert([[7]], at: 2, using: &random), .list)
        let after = MergedList(devices[0].record.view)
        #expect(after.values == [[1], before[1], [7], before[2]])
        #expect(Set(after.elements.map(\.position)).count == 4)
        #expect(Set(after.elements.map(\.id)).isSuperset(of: tied.map(\.id)))
    }
}

import KSCausality
import KSKeyValues
import KSResolution
import Testing

import Simulation

/// What the key-value oracle excuses where devices are copied, and nothing more.
struct KeyValueOracleTests {
    private static let key = "key"

    /// The state after these writes of one device.
    private static func state(
        _ writes: EntryWrite...,
        over state: RecordState? = nil,
        by actor: UInt64 = 7
    ) throws -> RecordState {
        var record = LocalRecord(mirror: state)
        let store = try #require(StoreIdentifier("simulated"))
        for write in writes {
            try write.apply(
                to: &record,
                of: EntryName(store: store, key: key),
                random: { (0..<$0).map { _ in UInt8(truncatingIfNeeded: actor) } },
                atMilliseconds: 0
            )
        }
        let time = (state?.latestTime.milliseconds ?? 0) + 1
        let sealed = record.seal { _, _ in
            Stamp(time: HybridTime(rawValue: time << 16), actor: ActorID(rawValue: actor))
        }
        return try #require(sealed).state
    }

    private static func failure(
        _ oracle: KeyValueOracle,
        _ state: RecordState,
        _ type: MergeType
    ) -> WorldFailure? {
        do throws(WorldFailure) {
            try oracle.check(state, type)
            return nil
        } catch {
            return error
        }
    }

    /// Two writes that put an element each; the second has not seen the first.
    private static func oracleOfSet() -> KeyValueOracle {
        var oracle = KeyValueOracle(hasCopies: true)
        oracle.note(.put(.element(0)), .set, seen: [])
        oracle.note(.put(.element(1)), .set, seen: [])
        return oracle
    }

    private static func set(_ numbers: Int...) throws -> RecordState {
        try state(.insert(numbers.map { KeyValueOracle.text($0) }))
    }

    @Test
    func `an increment counts as often as copies had to send it, and no more`() throws {
        var oracle = KeyValueOracle(hasCopies: true)
        var steps: [Int64] = []
        for number in 0..<3 {
            steps.append(try #require(oracle.nextIncrement(.counter)))
            oracle.note(.put(.increment(number)), .counter, seen: Set(0..<number))
        }
        let once = try Self.state(.increment(by: steps[0] + steps[1] + steps[2]))
        let twice = try Self.state(.increment(by: steps[1]), over: once, by: 8)
        let thrice = try Self.state(.increment(by: steps[1]), over: twice, by: 9)
        let missing = try Self.state(.increment(by: steps[0] + steps[2]))
        #expect(Self.failure(oracle, once, .counter) == nil)
        #expect(Self.failure(oracle, twice, .counter) == .keyValueRepeated(write: 1))
        oracle.exemptions.noteRepeated([1])
        for state in [once, twice] { #expect(Self.failure(oracle, state, .counter) == nil) }
        #expect(Self.failure(oracle, thrice, .counter) == .keyValueRepeated(write: 1))
        #expect(Self.failure(oracle, missing, .counter) == .keyValueLost(write: 1))
    }

    @Test
    func `an element that two copies had to send may come back once it was removed`() throws {
        var oracle = Self.oracleOfSet()
        oracle.note(.remove([.element(0)]), .set, seen: [0])
        let (both, one) = (try Self.set(0, 1), try Self.set(1))
        #expect(Self.failure(oracle, one, .set) == nil)
        #expect(Self.failure(oracle, both, .set) == .keyValueCameBack(write: 0))
        oracle.exemptions.noteRepeated([0])
        for state in [both, one] { #expect(Self.failure(oracle, state, .set) == nil) }
    }

    @Test
    func `an element that only a lost disk held may be missing`() throws {
        var oracle = Self.oracleOfSet()
        let (both, one) = (try Self.set(0, 1), try Self.set(1))
        #expect(Self.failure(oracle, one, .set) == .keyValueLost(write: 0))
        oracle.exemptions.noteLost([0])
        for state in [both, one] { #expect(Self.failure(oracle, state, .set) == nil) }
        #expect(try Self.failure(oracle, Self.set(0), .set) == .keyValueLost(write: 1))
        // Another copy of the device has sent it.
        oracle.exemptions.noteSent([0])
        #expect(Self.failure(oracle, one, .set) == .keyValueLost(write: 0))
        oracle.exemptions.noteLost([0])
        #expect(Self.failure(oracle, one, .set) == .keyValueLost(write: 0))
    }

    @Test
    func `a removal that only a lost disk held may have no effect`() throws {
        var oracle = Self.oracleOfSet()
        oracle.note(.remove([.element(0)]), .set, seen: [0])
        let (both, one) = (try Self.set(0, 1), try Self.set(1))
        oracle.exemptions.noteLost([2])
        for state in [both, one] { #expect(Self.failure(oracle, state, .set) == nil) }
        // Another removal of it is not lost.
        oracle.note(.remove([.element(0)]), .set, seen: [0])
        #expect(Self.failure(oracle, both, .set) == .keyValueCameBack(write: 0))
    }

    @Test
    func `a maximum is at least what every device keeps`() throws {
        var oracle = KeyValueOracle(hasCopies: true)
        let numbers = [5, 7].enumerated().map { Int64($1) * KeyValueOracle.scale + Int64($0) }
        for number in numbers { oracle.note(.put(.whole), .maximum, seen: [], number: number) }
        func maximum(_ number: Int64) throws -> RecordState {
            try Self.state(.declare(.maximum), .set(.integer(number), base: nil))
        }
        #expect(try Self.failure(oracle, maximum(numbers[1]), .maximum) == nil)
        let low = try maximum(numbers[0])
        #expect(Self.failure(oracle, low, .maximum) == .keyValueLost(write: 1))
        oracle.exemptions.noteLost([1])
        #expect(Self.failure(oracle, low, .maximum) == nil)
        #expect(try Self.failure(oracle, maximum(numbers[1]), .maximum) == nil)
    }
}

import KSCausality
import KSResolution
import Testing

/// An actor and its clock: the part of a device that makes stamps.
struct Author {
    var actor: ActorID
    var clock: UInt64
    private var own = HybridTime.zero

    init(_ number: UInt64, clock: UInt64 = 1000) {
        actor = ActorID(rawValue: number)
        self.clock = clock
    }

    mutating func stamp(_ seen: HybridTime, _ clock: UInt64) -> Stamp {
        own = HybridTime.next(
            clockMilliseconds: clock,
            serverMilliseconds: nil,
            seen: seen,
            own: own,
            random: 0
        )
        return Stamp(time: own, actor: actor)
    }

    /// Seals the user's changes to a record.
    mutating func seal(_ record: inout LocalRecord) throws -> RecordState {
        let sealed = record.seal { seen, clock in stamp(seen, clock) }
        return try #require(sealed).state
    }

    /// Seals, and assumes that it was accepted.
    mutating func push(_ record: inout LocalRecord) throws -> RecordState {
        let state = try seal(&record)
        record.acknowledge()
        record.mirror = state
        return state
    }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

func texts(_ values: [StampedValue]) -> [String?] { values.map { text($0.value) } }

let note = ValueName.field("icmt")
let account = ValueName.field("acct")

/// An item that two devices have: account a, secret s1, note n1.
func shared(by author: inout Author) throws -> RecordState {
    var record = LocalRecord()
    record.create(
        [account: bytes("a"), .secret: bytes("s1"), note: bytes("n1")],
        atMilliseconds: author.clock
    )
    return try author.push(&record)
}

import KSRecords
import KSResolution
import KSSyncEngine
import Testing

/// The states of the last mirrors.
struct RecentStatesTests {
    private let states = RecentStates()

    @Test
    func `a state is found only with the bytes that it was sealed in`() {
        states.note(ItemState(), of: Self.record(1), kind: .keyValue, Self.sealed(1))
        #expect(found(1, Self.sealed(1)) != nil)
        #expect(found(1, Self.sealed(2)) == nil)
        #expect(found(2, Self.sealed(1)) == nil)
        // A new row whose transaction is undone leaves the old row in the table.
        states.note(ItemState(), of: Self.record(1), kind: .keyValue, Self.sealed(2))
        #expect(found(1, Self.sealed(1)) == nil)
    }

    @Test
    func `only the last states are kept, and no large ones`() {
        let count = RecentStates.countMax
        for number in 0...count {
            let number = UInt8(number)
            states.note(ItemState(), of: Self.record(number), kind: .keyValue, Self.sealed(1))
        }
        #expect((0...count).filter { found(UInt8($0), Self.sealed(1)) != nil } == Array(1...count))
        let large = Self.sealed(1, count: RecentStates.boxBytesMax + 1)
        states.note(ItemState(), of: Self.record(0), kind: .keyValue, large)
        #expect(found(0, large) == nil)
    }

    @Test
    func `no state of a keychain item is kept`() {
        for kind in [RecordKind.keychain, RecordKind(number: 1 << 40)] {
            states.note(ItemState(), of: Self.record(1), kind: kind, Self.sealed(1))
            #expect(states.state(of: Self.record(1), kind: kind, Self.sealed(1)) == nil)
        }
    }

    private func found(_ number: UInt8, _ sealed: SealedRows.Sealed) -> ItemState? {
        states.state(of: Self.record(number), kind: .keyValue, sealed)
    }
}

extension RecentStatesTests {
    private static func record(_ number: UInt8) -> RecordID {
        RecordID(validated: Array(repeating: number, count: RecordID.byteCount))
    }

    private static func sealed(_ byte: UInt8, count: Int = 40) -> SealedRows.Sealed {
        SealedRows.Sealed(box: Array(repeating: byte, count: count), revision: [byte])
    }
}

import KSRecords
import Testing

/// Lines of sponsors, for every way in which five devices can have joined a circle.
struct SponsorLineTests {
    private static let deviceCount = 5

    private static func id(_ number: Int) -> MemberID {
        MemberID(validated: [UInt8](repeating: UInt8(number), count: MemberID.byteCount))
    }

    private static let credentials = 100

    private static func member(_ number: Int, _ kind: MemberKind, version: Int, by: Int) -> Member {
        Member(
            id: id(number),
            kind: kind,
            signingKey: [],
            agreementKey: [],
            nameBox: [],
            addedAtVersion: UInt64(version),
            addedBy: id(by)
        )
    }

    private static func entry(_ version: Int, _ members: [Member]) -> CircleEntry {
        CircleEntry(
            account: AccountID(validated: [UInt8](repeating: 1, count: AccountID.byteCount)),
            version: UInt64(version),
            previousHash: .zero,
            operation: version == 1 ? .genesis : .addDevice,
            members: members,
            generation: 1,
            rootCheck: [],
            oldestGeneration: 1,
            oldestFormat: 1,
            envelopesHash: .zero,
            author: id(0)
        )
    }

    /// Device 0 is the first; each other one was added by an earlier one, or by the credentials,
    /// written as -1: 2 · 3 · 4 · 5 ways.
    private static let ways: [[Int]] = (1..<deviceCount).reduce([[]]) { ways, number in
        ways.flatMap { way in (-1..<number).map { way + [$0] } }
    }

    @Test
    func `two devices are independent if their lines share no device`() {
        #expect(Self.ways.count == 120)
        for way in Self.ways {
            let sponsors = [0] + way
            var members = [
                Self.member(0, .device, version: 1, by: 0),
                Self.member(Self.credentials, .credentials, version: 1, by: 0),
            ]
            var lines = SponsorLines()
            lines.note(Self.entry(1, members))
            for number in 1..<Self.deviceCount {
                let sponsor = sponsors[number] < 0 ? Self.credentials : sponsors[number]
                members.append(
                    Self.member(number, .device, version: number + 1, by: sponsor)
                )
                lines.note(Self.entry(number + 1, members))
            }
            let devices = members.filter { $0.kind == .device }
            for (first, device) in devices.enumerated() {
                let line = Self.line(first, sponsors)
                #expect(lines.line(of: device) == line.map(Self.id), "\(way)")
                #expect(lines.mayTakeOver(device, with: members[1]))
                #expect(!lines.mayTakeOver(members[1], with: device))
                for (second, other) in devices.enumerated() {
                    let isDisjoint = Set(line).isDisjoint(with: Self.line(second, sponsors))
                    #expect(lines.mayTakeOver(device, with: other) == isDisjoint, "\(way)")
                }
            }
        }
    }

    private static func line(_ device: Int, _ sponsors: [Int]) -> [Int] {
        if device == 0 { return [0] }
        return [device] + (sponsors[device] < 0 ? [] : line(sponsors[device], sponsors))
    }

    @Test
    func `a broken line is not independent of any`() {
        var lines = SponsorLines()
        let first = Self.member(0, .device, version: 1, by: 0)
        let orphan = Self.member(2, .device, version: 3, by: 9)
        let circular = Self.member(3, .device, version: 3, by: 3)
        lines.note(Self.entry(1, [first]))
        lines.note(Self.entry(3, [first, orphan, circular]))
        for member in [orphan, circular, Self.member(7, .device, version: 2, by: 0)] {
            #expect(lines.line(of: member) == nil)
            #expect(!lines.areIndependent(first, member))
            #expect(!lines.areIndependent(member, first))
        }
    }
}

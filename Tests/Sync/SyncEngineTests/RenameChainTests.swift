import KSCausality
import KSRecords
import KSTestSupport
import Testing

import KSSyncEngine

/// However items are renamed, no batch is too long, and a deletion is sent with its new record.
struct RenameChainTests {
    @Test
    func `an item renamed twice while unsent has its deletion in the new record's batch`() throws {
        let home = try ReplicaHome.caughtUp()
        try home.save("wifi", "one")
        _ = try home.pushTaken(from: 6)
        try home.rename("wifi", to: "network")
        try home.rename("network", to: "house")
        #expect(try home.ties(in: "outbox") == ["wifi": "house"].asRecords(of: home))
        // The two edits are far apart in the outbox.
        for number in 1...Limits.batchRecordsMax { try home.save("item \(number)", "x") }
        try home.save("house", "two")
        var seq: UInt64 = 7
        var together: [Int] = []
        while try home.replica.counts().unsent > 0 {
            let batch = try home.pushTaken(from: seq)
            seq += UInt64(batch.envelopes.count)
            let ids = Set(["wifi", "house"].map(home.recordID))
            together.append(ids.intersection(batch.envelopes.map(\.recordID)).count)
        }
        #expect(together.filter { $0 > 0 } == [2])
    }

    @Test
    func `an item that is renamed back and forth ends where it was`() throws {
        let home = try ReplicaHome.caughtUp()
        try home.save("wifi", "one")
        _ = try home.pushTaken(from: 6)
        try home.rename("wifi", to: "network")
        try home.rename("network", to: "wifi")
        #expect(try home.ties(in: "outbox").isEmpty)
        let batch = try home.pushTaken(from: 7)
        #expect(batch.envelopes.map(\.recordID) == [home.recordID("wifi")])
        #expect(try home.secret("wifi") == "one")
    }

    /// Every item moves to the name of the one before it.
    @Test(arguments: [(Limits.batchRecordsMax + 100, 1), (100, 60_000)])
    func `a chain that is too long is sent in parts, each of whole renames`(
        count: Int,
        size: Int
    ) throws {
        let home = try ReplicaHome.caughtUp()
        func secret(_ number: Int) -> String {
            "secret \(number)" + String(repeating: "x", count: size)
        }
        for number in 1...count { try home.save("item \(number)", secret(number)) }
        var seq: UInt64 = 6
        while try home.replica.counts().unsent > 0 {
            seq += UInt64(try home.pushTaken(from: seq).envelopes.count)
        }
        for number in 1...count { try home.rename("item \(number)", to: "item \(number - 1)") }
        let ties = try home.ties(in: "outbox")
        #expect(ties.count == count)
        try expectWhole(ties, home, from: seq)
        for number in 1...count {
            #expect(try home.secret("item \(number - 1)") == secret(number))
        }
        #expect(try home.secret("item \(count)") == nil)
    }

    /// Pushes everything: each batch keeps the limits, and the deletion of a renamed item is in the
    /// batch that adds its new record.
    private func expectWhole(
        _ ties: [RecordID: RecordID],
        _ home: ReplicaHome,
        from first: UInt64
    ) throws {
        var seq = first
        var made: [RecordID: Int] = [:]
        var deleted: [RecordID: Int] = [:]
        var number = 0
        while try home.replica.counts().unsent > 0 {
            let batch = try home.pushTaken(from: seq)
            seq += UInt64(batch.envelopes.count)
            number += 1
            #expect(batch.envelopes.count <= Limits.batchRecordsMax)
            #expect(batch.envelopes.reduce(0) { $0 + $1.box.count } <= Limits.batchBytesMax)
            for envelope in batch.envelopes {
                // The first of two writes of a record deletes what was there.
                if deleted[envelope.recordID] == nil { deleted[envelope.recordID] = number }
                if !envelope.isTombstone { made[envelope.recordID] = number }
            }
            try #require(number < 100)
        }
        for (source, target) in ties {
            let isTogether = deleted[source] == made[target] && made[target] != nil
            #expect(isTogether)
        }
    }

    @Test(arguments: 0..<(isThorough ? 12 : 6) as Range<UInt64>)
    func `renames of any kind stay within a batch's limits`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let home = try ReplicaHome.caughtUp()
        var names: Set<String> = []
        var contents: [String: String] = [:]
        for number in 0..<60 {
            // Large enough that these alone fill several batches.
            let size = Int.random(in: 0..<4, using: &random) == 0 ? 10 : 60_000
            contents["item \(number)"] = "\(number) " + String(repeating: "x", count: size)
            try home.save("item \(number)", contents["item \(number)"] ?? "")
        }
        var seq: UInt64 = 6
        while try home.replica.counts().unsent > 0 {
            seq += UInt64(try home.pushTaken(from: seq).envelopes.count)
        }
        names = Set(contents.keys)
        for step in 0..<120 {
            let name = try #require(names.sorted().randomElement(using: &random))
            let all = (0..<90).map { "item \($0)" }
            let free = all.filter { !names.contains($0) }
            let other = try #require(free.randomElement(using: &random))
            if step % 10 == 9 {
                try home.delete(name)
            } else {
                try home.rename(name, to: other)
                names.insert(other)
                contents[other] = contents[name]
            }
            names.remove(name)
            contents[name] = nil
        }
        try expectWhole(try home.ties(in: "outbox"), home, from: seq)
        for (name, content) in contents { #expect(try home.secret(name) == content) }
        #expect(try home.replica.openRecords()?.isEmpty == true)
    }
}

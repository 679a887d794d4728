import KSCausality
import KSResolution
import KSTestSupport
import Testing

// Two stores are restored one after the other, before a device has told what the first one lacked.

extension RecordComparisonTests {
    @Test
    func `what an earlier comparison put into the edit is not deleted by a later one`() throws {
        let (_, second, _, _) = try Self.states()
        var record = LocalRecord(mirror: second)
        let empty = RecordComparison(
            known: Self.mirror(second, Self.write(Self.newer)),
            shown: [],
            seen: Self.vector(Self.newer),
            accepted: VersionVector()
        )
        record.reconcile(with: nil, by: empty.decision(for: nil))
        // Before it went up, the operator restored a newer backup, which has the record.
        let again = RecordComparison(
            known: nil,
            shown: [Self.shown(Self.newer, second)],
            seen: Self.vector(Self.newer),
            accepted: Self.vector(Self.newer)
        )
        record.reconcile(with: second, by: again.decision(for: record.edit))
        #expect(record == LocalRecord(mirror: second))
    }

    /// A backup of the time before a write was restored, then a newer one that has the write.
    @Test
    func `what an older backup lacked is not deleted when a newer one shows it`() throws {
        let (first, second, deleted, maker) = try Self.states()
        var laptop = maker
        var again = LocalRecord(mirror: nil, stub: deleted.stub)
        again.set([.secret: bytes("s3"), .field("acct"): bytes("ada")], atMilliseconds: 4000)
        let made = try laptop.push(&again)
        let third = Dot(actor: Self.old.actor, counter: 3)
        for (older, newer, dot) in [(first, second, Self.newer), (deleted, made, third)] {
            var record = LocalRecord(mirror: newer)
            let before = RecordComparison(
                known: Self.mirror(newer, Self.write(dot)),
                shown: [Self.shown(Self.old, older)],
                seen: Self.vector(dot),
                accepted: Self.vector(Self.old)
            )
            record.reconcile(with: older, by: before.decision(for: record.edit))
            #expect(record.edit?.isPutUp == true)
            let isDead = older == deleted
            let after = RecordComparison(
                known: isDead
                    ? Self.stub(older, Self.write(Self.old))
                    : Self.mirror(older, Self.write(Self.old)),
                shown: [Self.shown(dot, newer)],
                seen: Self.vector(dot),
                accepted: Self.vector(dot)
            )
            record.reconcile(with: newer, by: after.decision(for: record.edit))
            #expect(record.view == LocalRecord(mirror: newer).view, "dead \(isDead)")
            #expect(record.edit == nil, "dead \(isDead)")
        }
    }

    /// The phone has the second secret, and not the deletion of the item.
    ///
    /// The laptop has deleted it, and has raised the vector of the server that has the first
    /// secret; a tablet edits the item there.
    @Test
    func `a value goes up again where the server shows an older one that is edited`() throws {
        let (first, second, _, maker) = try Self.states()
        var (laptop, tablet) = (maker, Author(3))
        var record = LocalRecord(mirror: second)
        record.delete(atMilliseconds: 3000)
        let deletion = try laptop.push(&record).stub.deletion
        var edited = LocalRecord(mirror: first)
        edited.set([note: bytes("n2")], atMilliseconds: 4000)
        let living = try tablet.push(&edited).joined(with: deletion)
        let comparison = RecordComparison(
            known: Self.mirror(second, Self.write(Self.newer)),
            shown: [Self.shown(Self.other, living)],
            seen: Self.vector(Self.newer),
            accepted: Self.vector(Self.newer, Self.other)
        )
        var phone = LocalRecord(mirror: second)
        phone.reconcile(with: living, by: comparison.decision(for: nil))
        #expect(phone.view.shownSecret == bytes("s2") && phone.view.shown(note) == bytes("n2"))
        #expect(phone.edit?.isPutUp == true)
        // What is newer here than on the device is taken.
        let other = RecordComparison(
            known: Self.mirror(first, Self.write(Self.old)),
            shown: [Self.shown(Self.newer, second)],
            seen: Self.vector(Self.old),
            accepted: Self.vector(Self.newer)
        )
        #expect(other.decision(for: nil) == RecordDecision(.taken))
    }
}

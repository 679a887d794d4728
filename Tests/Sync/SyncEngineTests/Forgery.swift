import KSCausality
import KSKeychain
import KSKeychainRecords
import KSRecords
import KSResolution
import KSSealing

import KSSyncEngine

extension ReplicaHome {
    /// A write of an item by a member that ignores the clock, as an actor of its own.
    func forged(
        _ service: String,
        _ secret: [UInt8],
        time: UInt64,
        actor number: UInt64,
        counter: UInt64 = 1,
        replaced: [Dot] = []
    ) throws -> Envelope {
        let actor = ActorID(rawValue: number)
        var item = Self.item(service)
        item.secret = secret
        var record = LocalRecord()
        record.create(item.values, atMilliseconds: 0)
        let sealed = record.seal { _, _ in
            Stamp(time: HybridTime(rawValue: time), actor: actor)
        }
        return try device.keys.cipher.seal(
            text: sealed?.state.encoded ?? [],
            recordID: recordID(service),
            dot: Dot(actor: actor, counter: counter),
            replaced: replaced,
            isTombstone: false,
            kind: .keychain
        )
    }
}

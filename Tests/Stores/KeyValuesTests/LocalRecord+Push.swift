import KSCausality
import KSRecords
import KSResolution

extension LocalRecord {
    /// Seals as the given actor and takes the batch as accepted.
    mutating func push(as actor: UInt64) {
        var time: UInt64 = 1000 << 16
        _ = seal { seen, _ in
            time = max(time, seen.rawValue) + 1
            return Stamp(time: HybridTime(rawValue: time), actor: ActorID(rawValue: actor))
        }
        let state = onItsWay?.state
        acknowledge()
        mirror = state
    }
}

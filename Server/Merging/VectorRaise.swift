package import KSCausality
package import KSRecords
internal import KSWire

extension AccountStanding {
    /// Decides which actors a member raises in a store that went back.
    ///
    /// An actor that may still write in this epoch has written nothing above its counter, so a
    /// higher one is no memory of it.
    ///
    /// - Parameters:
    ///   - vector: what the member had seen.
    ///   - asked: the epoch of which it speaks.
    ///   - present: the account's vector.
    ///   - open: the actors that may still write.
    /// - Throws: `store_restored`, `malformed` or `too_large`.
    /// - Returns: the entries that rise.
    package func raise(
        to vector: VersionVector,
        epoch asked: StoreEpoch,
        present: VersionVector,
        open: Set<ActorID>
    ) throws(StoreError) -> VersionVector {
        guard asked == epoch else { throw .refused(.storeRestored) }
        let rising = vector.entries.filter { $0.counter > present[$0.actor] }
        guard !rising.contains(where: { open.contains($0.actor) }) else {
            throw .refused(.malformed)
        }
        let new = rising.count { present[$0.actor] == 0 }
        guard present.entries.count + new <= Limits.actorsMax else { throw .refused(.tooLarge) }
        return VersionVector(rising)
    }
}

package import KSKeyValues

/// Writes that go in one call.
package struct TakenWrites: Equatable {
    package var writes: [KeyWrite] = []
    /// Whether they are carried out together or not at all.
    package let isAtomic: Bool

    /// As many writes as fit, one at least, as the daemon reads them; all of a transaction.
    package func encoded(bytesMax: Int) -> [[UInt8]] {
        var encoded: [[UInt8]] = []
        var bytes = 0
        for write in writes {
            let next = write.encoded
            bytes += next.count
            guard isAtomic || encoded.isEmpty || bytes <= bytesMax else { break }
            encoded.append(next)
        }
        return encoded
    }
}

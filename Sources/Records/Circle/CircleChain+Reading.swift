extension CircleChain {
    /// What a server's word about the circle comes to.
    package enum Reading: Equatable, Sendable {
        /// The circle with what is new; the same where nothing is.
        case extended(CircleChain)
        /// Members signed two entries for one version: one of them, or the server, lies.
        case forked
        /// An entry does not verify. That proves nothing about a member: the server may have
        /// invented the entry.
        case refused(CircleError)
    }

    /// Reads entries in the order of their versions, the first of which may be known here.
    package func reading(_ received: [SignedEntry]) -> Reading {
        var chain = self
        for signed in received {
            do throws(CircleError) {
                let version = try CircleRules.decode(signed).version
                guard version <= chain.newest.version else {
                    try chain.append(signed)
                    continue
                }
                let known = chain.entries[Int(version) - 1]
                guard known.hash != signed.hash else { continue }
                try chain.checkSecond(signed, version: version)
                return .forked
            } catch {
                return .refused(error)
            }
        }
        return .extended(chain)
    }

    /// Whether this, too, could have been the entry of a version that another one is known of.
    private func checkSecond(_ signed: SignedEntry, version: UInt64) throws(CircleError) {
        let entry = try CircleRules.check(
            next: signed,
            after: Array(entries.prefix(Int(version) - 1))
        )
        guard version == 1 else { return }
        // Anybody can sign a genesis; only that of the same first device says something about it.
        guard entry.author == (try CircleRules.decode(entries[0])).author else {
            throw .otherHistory
        }
    }
}

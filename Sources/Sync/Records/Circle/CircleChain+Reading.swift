extension CircleChain {
    /// The result of checking the entries that a server sent.
    package enum Reading: Equatable, Sendable {
        /// The circle with the new entries, if any.
        case extended(CircleChain)
        /// Members signed two entries for one version: a member or the server is dishonest.
        case forked
        /// An entry is not valid, which proves nothing about members: the server may have invented
        /// it.
        case refused(CircleError)
    }

    /// Checks entries in the order of their versions; the first ones may be known already.
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

    /// Checks a second entry for a known version, by the rules for the first one.
    private func checkSecond(_ signed: SignedEntry, version: UInt64) throws(CircleError) {
        let entry = try CircleRules.check(
            next: signed,
            after: Array(entries.prefix(Int(version) - 1))
        )
        guard version == 1 else { return }
        // Anybody can sign a genesis entry, so it counts only from the same first device.
        guard entry.author == (try CircleRules.decode(entries[0])).author else {
            throw .otherHistory
        }
    }
}

package import KSAgent
internal import KSKeychain
internal import KSRedaction
internal import KSSyncEngine

/// A device that another one has added or removed since the user last looked at the list.
package struct ShownDeviceNews: AgentCoded, Codable, Equatable {
    /// `added` or `removed`.
    package var change: String
    /// Nil if its name cannot be read.
    @OrNull
    package var name: String?
    package var code: String
    /// Whether the account has it now.
    package var isMember: Bool
}

extension CallHandler {
    /// What the user has not seen yet; nil for a program that may not see the devices.
    ///
    /// `isolation`: the caller's, so that one on the device's queue does not leave it.
    func deviceNews(
        _ engine: SyncEngine,
        for caller: Caller,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [ShownDeviceNews]? {
        guard case .all = caller.access else { return nil }
        return try await engine.withReplica { replica in
            let news = try replica.deviceNews()
            guard !news.isEmpty else { return [] }
            let present = replica.devices()
            let members = Set(present.map(\.id))
            let choice = DeviceChoice(
                among: present,
                former: news.map(\.device).filter { !members.contains($0.id) }
            )
            return news.map { news in
                ShownDeviceNews(
                    change: news.change.rawValue,
                    name: news.device.name,
                    code: choice.code(of: news.device.id),
                    isMember: members.contains(news.device.id)
                )
            }
        }
    }
}

extension CommandFailure {
    /// A login that failed after it had removed devices.
    init(_ failed: LoginAfterRemoval) {
        let failure = CommandFailure(failed.error)
        let removed = DeviceChoice(among: failed.removed).list(failed.removed)
        self.init(
            code: failure.code,
            exit: failure.exit,
            sentence: "\(failure.sentence) Removed from the account before that: \(removed)."
        )
    }
}

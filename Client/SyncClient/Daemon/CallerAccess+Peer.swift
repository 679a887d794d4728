internal import Agent
internal import Keychain

extension CallerAccess {
    /// The access groups of the program that calls.
    ///
    /// The daemon's own program and the `keychain` beside it see all; any other has a group of its
    /// own. This keeps honest programs apart and stops no one of the same user, who could run
    /// `keychain` as well. So a program that nobody may look at, as `keychain` is, sees all too.
    init(
        of executable: String?,
        daemon: String? = AgentPeer.ownExecutable
    ) {
        guard let executable, let daemon else {
            self = .all(defaultGroup: KeychainOwner.group)
            return
        }
        let directory = daemon.prefix(upTo: daemon.lastIndex(of: "/") ?? daemon.startIndex)
        if executable == daemon || executable == directory + "/keychain" {
            self = .all(defaultGroup: KeychainOwner.group)
        } else {
            self = .groups(["exe:" + executable])
        }
    }
}

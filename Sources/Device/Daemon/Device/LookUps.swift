package import KSAgent
package import KSKeychain
internal import KSQueues
package import KSSecItem

/// Finds items over a connection and on a queue of its own, so that a search never waits for sync
/// or for a change under way.
package actor LookUps {
    private let executor = QueueExecutor(label: "keychain-sync.look-ups")
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    private let reader: KeychainReader
    private let listing: ItemListing
    private let listPatience: Duration
    private var forgetting: Task<Void, Never>?

    /// `listPatience`: how long the list of items stays in memory after its last use.
    package init(
        files: DeviceFiles,
        listing: ItemListing = ItemListing(),
        listPatience: Duration = .seconds(600)
    ) {
        reader = files.makeReader()
        self.listing = listing
        self.listPatience = listPatience
    }

    /// Runs `body` on the calling thread, unless a search is under way.
    ///
    /// The thread of the sockets answers three times as many look-ups this way as if each had to
    /// wake this queue (decision 0013).
    ///
    /// - Returns: nil if a search is under way.
    package nonisolated func borrowed<Result: Sendable>(
        _ body: (isolated LookUps) throws -> Result
    ) rethrows -> Result? {
        try executor.borrowed { try assumeIsolated(body) }
    }

    /// Rows that matched a query but could not be opened.
    package var unreadableRows: [UnreadableRow] { reader.unreadableRows }

    /// See ``KeychainReader/items(_:skip:)``.
    package func items(_ query: KeychainQuery, skip: Int = 0) throws(ItemStoreError) -> [Item] {
        try reader.items(query, skip: skip)
    }

    /// The items of the home's keychain as people see them.
    package func list(_ wanted: ListItems) throws -> ItemList {
        defer { forgetListLater() }
        try reader.checkFile()
        return try listing.items(wanted, from: reader)
    }

    /// A list of 10,000 items takes 20 MB, which a daemon that waits should not hold.
    private func forgetListLater() {
        forgetting?.cancel()
        forgetting = Task { [listing, listPatience] in
            // Cancelled when the list is used again.
            guard (try? await Task.sleep(for: listPatience)) != nil else { return }
            listing.forget()
            ProcessProtection.giveMemoryBack()
        }
    }

    /// `SecItemCopyMatching`.
    ///
    /// - Returns: the answer, and the rows that matched but could not be opened.
    package func copyMatching(
        _ query: AgentDictionary,
        client: ProgramAccess
    ) -> (reply: SecItemReply, unreadable: [UnreadableRow]) {
        var unreadable: [UnreadableRow] = []
        let finder = SecItemFinder(reader: reader) { unreadable += $0 }
        return (finder.copyMatching(query, client: client), unreadable)
    }
}

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
    private let burst: Duration
    private let listPatience: Duration
    private var forgetting: Task<Void, Never>?
    /// What the last look at the file's pages has found, and when that was.
    private var lastLook: (isDamaged: Bool, time: ContinuousClock.Instant)?

    /// Look-ups of a home.
    ///
    /// `burst`: how long after a list nothing is given back, since another one may follow.
    /// `listPatience`: how long from then on the list of items stays in memory (decision 0067).
    package init(
        files: DeviceFiles,
        listing: ItemListing = ItemListing(),
        burst: Duration = .seconds(2),
        listPatience: Duration = .seconds(60)
    ) {
        reader = files.makeReader()
        self.listing = listing
        self.burst = burst
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

    /// A daemon that waits should not hold what a list of ten thousand items took: first the pages
    /// of the file and what the answer was made of go, then the list too.
    private func forgetListLater() {
        forgetting?.cancel()
        forgetting = Task { [weak self, listing, burst, listPatience] in
            // Cancelled when the list is used again.
            guard (try? await Task.sleep(for: burst)) != nil else { return }
            await self?.releasePages()
            // As above.
            guard (try? await Task.sleep(for: listPatience)) != nil else { return }
            listing.forget()
            ProcessProtection.giveMemoryBack()
        }
    }

    private func releasePages() {
        // A connection that fails is reported by the next look-up.
        try? reader.releasePages()
        ProcessProtection.giveMemoryBack()
    }

    /// Whether the file's structure is damaged.
    ///
    /// All pages are looked at, so no more than once in ten minutes: a bar may show the status all
    /// the time.
    func isDamaged() throws -> Bool {
        if let lastLook, .now - lastLook.time < .seconds(600) { return lastLook.isDamaged }
        let isDamaged = try reader.isDamaged()
        lastLook = (isDamaged, .now)
        releasePages()
        return isDamaged
    }

    /// The size of the file's pages in memory, in bytes.
    package func pageBytes() throws -> Int { try reader.pageBytes() }

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

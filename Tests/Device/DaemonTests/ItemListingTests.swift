import KSAgent
import KSDaemon
import KSTestSupport
import Testing

/// The list of items that the daemon keeps between two lists.
struct ItemListingTests {
    private let world: HandlerWorld
    private let listing = ItemListing()

    init() throws { world = try HandlerWorld(isOnDisk: true) }

    private func lookUps(
        burst: Duration = .seconds(600),
        patience: Duration = .seconds(600)
    ) async -> LookUps {
        LookUps(
            files: await world.owner.files,
            listing: listing,
            burst: burst,
            listPatience: patience
        )
    }

    /// The list of a daemon that has just started.
    private func freshList(_ wanted: ListItems) async throws -> ItemList {
        try await LookUps(files: await world.owner.files).list(wanted)
    }

    private func answer<Call: AgentCall>(_ call: Call) async throws -> Call.Answer {
        try await world.handler.answer(call, of: HandlerWorld.keychain)
    }

    private func add(_ title: String, user: String) async throws -> [UInt8] {
        var form = ItemForm()
        (form.title, form.userName, form.place) = (title, user, "\(title).example.org")
        return try await answer(MakeItem(form, isSynced: false)).reference
    }

    private func rename(_ reference: [UInt8], _ title: String) async throws {
        var form = ItemForm()
        form.title = title
        _ = try await answer(ChangeItem(reference, form))
    }

    @Test
    func `after each change the list and its words are as in a fresh list`() async throws {
        let kept = await lookUps()
        var generator = SeededGenerator(seed: 39)
        var references: [[UInt8]] = []
        for step in 0..<60 {
            let chosen = references.indices.randomElement(using: &generator)
            switch (Int.random(in: 0..<4, using: &generator), chosen) {
            case (0, .some(let place)):
                _ = try await answer(RemoveItem(references.remove(at: place)))
            case (1, .some(let place)):
                try await rename(references[place], "renamed \(step)")
            default:
                references.append(try await add("item\(step)", user: "user\(step % 3)"))
            }
            for words in [nil, "renamed", "user1", "item \(step)"] {
                var wanted = ListItems()
                wanted.words = words
                let expected = try await freshList(wanted)
                #expect(try await kept.list(wanted) == expected)
                if words == nil { #expect(expected.items.count == references.count) }
            }
            var named = ListItems()
            named.meaning = "user\(step % 3)"
            let expected = try await freshList(named)
            #expect(try await kept.list(named) == expected)
        }
    }

    /// Sync opens the connections again whenever it cannot write, as on a full disk.
    @Test
    func `what is added is listed, however often the database is opened again`() async throws {
        let kept = LookUps(files: await world.owner.files, listing: world.owner.listing)
        var titles: Set<String> = []
        for number in 0..<6 {
            _ = try await add("item\(number)", user: "ada")
            titles.insert("item\(number)")
            try await world.owner.reopenDatabase()
            #expect(Set(try await kept.list(ListItems()).items.map(\.title)) == titles)
        }
    }

    @Test
    func `the list is forgotten some time after its last use`() async throws {
        _ = try await add("mail", user: "ada")
        let lookUps = await lookUps(burst: .milliseconds(1), patience: .milliseconds(200))
        _ = try await lookUps.list(ListItems())
        #expect(listing.keptCount == 1)
        let end = ContinuousClock.now + .seconds(90)
        while listing.keptCount > 0, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(listing.keptCount == 0)
        #expect(try await lookUps.list(ListItems()).items.map(\.title) == ["mail"])
    }

    /// They are as large as the file, and the list has all that is needed of them.
    @Test
    func `after a burst of lists the pages of the file leave the memory, and the list stays`()
        async throws
    {
        for number in 0..<100 { _ = try await add("mail\(number)", user: "ada") }
        let kept = await lookUps()
        _ = try await kept.list(ListItems())
        let all = try await kept.pageBytes()
        #expect(all > 100_000)
        let lookUps = await lookUps(burst: .milliseconds(1))
        let list = try await lookUps.list(ListItems())
        let end = ContinuousClock.now + .seconds(90)
        while try await lookUps.pageBytes() > all / 4, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try await lookUps.pageBytes() <= all / 4)
        #expect(listing.keptCount == 100)
        #expect(try await lookUps.list(ListItems()) == list)
    }
}

internal import KSAgent
internal import KSScreens
internal import KSSecretReferences

// `list`, `search` and the names for completion.
extension Everyday {
    static let filters = WordOptions.Accepted(
        flags: ["favorites"],
        valued: ["type", "tag", "limit"]
    )

    func list(_ options: WordOptions) throws {
        if let type = options.text("type"), !ItemKinds.names.contains(type) {
            throw EverydayFailure.usage(
                "there is no type \"\(type)\"; use one of "
                    + ItemKinds.names.joined(separator: ", ")
            )
        }
        let found = try found(options, words: nil)
        try show(found, options)
        guard found.isEmpty, !options.has("json") else { return }
        let isFiltered =
            !options.operands.isEmpty || options.has("favorites") || options["type"] != nil
            || options["tag"] != nil
        guard !isFiltered else { throw Self.nothingMatches }
        if console.isErrorShown { complain("there are no items yet; \"keychain new\" makes one") }
    }

    private static let nothingMatches = EverydayFailure(
        "nothing matches",
        status: EverydayFailure.notFoundStatus
    )

    func search(_ options: WordOptions) throws {
        let words = options.names.joined(separator: " ")
        guard words.contains(where: { !$0.isWhitespace }) else {
            throw EverydayFailure.usage("give a word to search for")
        }
        let found = try found(options, words: words)
        try show(found, options)
        guard found.isEmpty, !options.has("json") else { return }
        throw Self.nothingMatches
    }

    static let nameOptions = WordOptions.Accepted(
        flags: filters.flags + ["tags", "references", "deleted"],
        valued: filters.valued
    )

    /// The titles, tags or references that a shell completes: nothing that is secret, and nothing
    /// at all if the keychain is locked.
    func names(_ options: WordOptions) throws {
        // A key in a shell makes no keychain, and its line is no place for a reason.
        guard AgentHome.missing(argument: options.text("home")) == nil,
            // A locked keychain, or no daemon: nothing is offered.
            let items = try? call(ListItems(), options).items
        else { return }
        let start = options.names.first ?? ""
        let names: [String]
        if options.has("deleted") {
            // As above.
            let deleted = (try? call(ListDeletedItems(), options).items) ?? []
            names = Set(items.map(\.title) + deleted.map(\.title)).sorted()
        } else if options.has("tags") {
            names = Set(items.flatMap(\.tags)).sorted()
        } else if options.has("references") {
            names = items.flatMap { references(to: $0, start, options) }
        } else {
            names = items.map(\.title)
        }
        for name in names where name.hasPrefix(start) && !name.contains(where: \.isNewline) {
            say(name + "\n")
        }
    }

    /// An item's reference; those of its fields once the typed start names it.
    private func references(
        to item: ListedItem,
        _ start: String,
        _ options: WordOptions
    ) -> [String] {
        let site = item.place.isEmpty ? item.title : item.place
        guard !site.isEmpty else { return [] }
        func reference(_ field: SecretReference.Field) -> String {
            SecretReference(site: site, account: item.userName, field: field).description
        }
        let whole = reference(.password)
        guard start.hasPrefix(whole + (item.userName.isEmpty ? "//" : "/")),
            // Without its fields, only the password is offered.
            let item = try? call(ShowItem(item.reference), options)
        else { return [whole] }
        let fields = item.fields.filter { $0.kind != "otp" }.map { reference(.named($0.name)) }
        return (item.userName.isEmpty ? [] : [reference(.username)])
            + (item.note.isEmpty ? [] : [reference(.notes)])
            + (item.fields.count == fields.count ? [] : [reference(.otp)]) + fields
    }

    private func found(_ options: WordOptions, words: String?) throws -> [ListedItem] {
        var search = ListItems()
        search.words = words
        if words == nil, !options.operands.isEmpty, options.names.first?.isEmpty == false {
            search.words = options.names.joined(separator: " ")
            search.leavesOutNear = true
        }
        search.type = options.text("type")
        search.tag = options.text("tag")
        search.onlyFavorites = options.has("favorites")
        if let limit = options.text("limit") {
            guard let number = Int64(limit), number > 0 else {
                throw EverydayFailure.usage("--limit takes a number above 0")
            }
            search.limit = number
        }
        return try call(search, options).items
    }

    private func show(_ items: [ListedItem], _ options: WordOptions) throws {
        if options.has("json") {
            say(JSONValue.list(items.map(ItemLines.json)).text + "\n")
        } else if console.isShown {
            guard !items.isEmpty else { return }
            say(ItemTable.text(items, width: console.width, hasColors: console.hasColors))
        } else {
            say(zip(items, ItemTwins.ends(of: items)).map(ItemLines.line).joined())
        }
    }
}

/// A list for a terminal: columns that fit its width.
enum ItemTable {
    static func text(_ items: [ListedItem], width: Int, hasColors: Bool) -> String {
        PlainTable(
            columns: [
                .init("", style: Style(color: .yellow)),
                .init("TITLE", isKept: true, style: .bold), .init("USER NAME"), .init("PLACE"),
                .init("TYPE", style: .dim), .init("TAGS", style: Style(color: .cyan)),
            ],
            rows: zip(items, ItemTwins.ends(of: items)).map { item, end in
                let place = (item.place == item.title ? "" : item.place) + end
                return [
                    ItemLines.marks(item), item.title, item.userName,
                    place.hasPrefix(" ") ? String(place.dropFirst()) : place,
                    item.type == "login" ? "" : item.type, item.tags.joined(separator: ", "),
                ]
            }
        ).text(fitting: width, hasColors: hasColors)
    }
}

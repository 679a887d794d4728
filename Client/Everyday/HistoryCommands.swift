package import KSAgent
internal import KSBytes
internal import KSScreens

// `history`, `deleted` and `restore`.
extension Everyday {
    static let historyOptions = WordOptions.Accepted(flags: ["secrets", "clear", "yes"])

    func showHistory(_ options: WordOptions) throws {
        guard !options.has("clear") else { return try clearHistory(options) }
        let item = try item(options)
        let call = GetItemHistory(item.reference, showsSecrets: options.has("secrets"))
        guard let history = try self.call(call, options).first else {
            throw Self.noHistory(of: item)
        }
        guard !options.has("json") else {
            return say(HistoryPage.json(history, of: item).text + "\n")
        }
        let lines = [Printable.text(ItemLines.name(item))] + HistoryPage.lines(history)
        say(lines.map { $0 + "\n" }.joined())
        if console.isErrorShown, HistoryPage.hasVersions(history) {
            complain(
                "\"keychain restore NAME NUMBER\" puts a value back"
                    + (options.has("secrets") ? "" : "; --secrets shows what is hidden")
            )
        }
    }

    /// Forgets earlier values of an item: all of them, or those of the numbers behind its name.
    private func clearHistory(_ options: WordOptions) throws {
        guard let name = options.names.first else { throw EverydayFailure.usage("name an item") }
        let numbers = try options.names.dropFirst().map(Self.version)
        let item = try item(toLose: name, options)
        var call = ForgetVersions(item.reference, versions: numbers, isCarriedOut: false)
        let found = try self.call(call, options)
        // Nobody is asked about values that are not there.
        if options.has("yes") || found.count > 0 || found.deletedItems > 0 {
            let values =
                switch numbers.count {
                case 0: "all earlier values"
                case 1: "version \(numbers[0])"
                default: "versions " + numbers.map(String.init).joined(separator: ", ")
                }
            let deleted =
                found.deletedItems > 0
                ? ", and \(ForgottenLines.deletedItems(found)) of its name on this one" : ""
            try confirm(
                "forget \(values) of \(ItemLines.name(item)) on all devices\(deleted), for good?",
                options
            )
            call.isCarriedOut = true
        }
        let forgotten = try self.call(call, options)
        guard !options.has("json") else {
            return say(ForgottenLines.json(forgotten, of: item).text + "\n")
        }
        say(ForgottenLines.lines(forgotten, of: item).map { $0 + "\n" }.joined())
    }

    package static func noHistory(of item: ListedItem) -> EverydayFailure {
        EverydayFailure(
            item.isSynced
                ? "\(item.title) has no history: it begins when this device has an account"
                : "\(item.title) has no history: it is on this device only",
            status: EverydayFailure.notFoundStatus
        )
    }

    // MARK: Deleted items

    func showDeleted(_ options: WordOptions) throws {
        let list = try call(ListDeletedItems(), options)
        let found = list.items.filter { item in
            options.names.allSatisfy { item.contains($0) }
        }
        if options.has("json") {
            say(JSONValue.list(found.map(DeletedLines.json)).text + "\n")
        } else if console.isShown, !found.isEmpty {
            say(DeletedLines.table(found, width: console.width))
        } else {
            say(found.map(DeletedLines.line).joined())
        }
        if list.unreadableCount > 0 {
            complain("\(list.unreadableCount) more deleted items cannot be read")
        }
        guard found.isEmpty, !options.has("json") else { return }
        guard options.names.isEmpty else {
            throw EverydayFailure("nothing matches", status: EverydayFailure.notFoundStatus)
        }
        if console.isErrorShown { complain("no item was deleted in the last 30 days") }
    }

    // MARK: Putting back

    /// Puts earlier values of an item back, or a deleted item.
    func restore(_ options: WordOptions) throws {
        guard let name = options.names.first else {
            throw EverydayFailure.usage("name an item, and the number of a version")
        }
        let numbers = try options.names.dropFirst().map(Self.version)
        guard !numbers.isEmpty else {
            let item = try restoreDeleted(named: name, options)
            return say(
                options.has("json")
                    ? ItemLines.json(item).text + "\n"
                    : "restored \(Printable.text(ItemLines.name(item)))\n"
            )
        }
        let item = try item(toChange: options, named: name)
        let restored = try call(RestoreVersions(item.reference, versions: numbers), options)
        guard !options.has("json") else {
            return say(RestoredLines.json(restored, of: item).text + "\n")
        }
        say(RestoredLines.lines(restored, of: item).map { $0 + "\n" }.joined())
    }

    /// The number of a version.
    package static func version(_ word: String) throws -> Int64 {
        guard let number = Int64(word), number > 0 else {
            throw EverydayFailure.usage(
                "\"\(word)\" is no version; give a number that \"keychain history\" shows"
            )
        }
        return number
    }

    /// Makes the deleted item again that a name or a code means; asks if it may be several.
    package func restoreDeleted(
        named name: String,
        _ options: WordOptions
    ) throws -> ListedItem {
        let found = try call(ListDeletedItems(), options).items.meant(by: name)
        guard let first = found.first else { throw try nothingDeleted(named: name, options) }
        guard found.count > 1 else { return try call(RestoreDeletedItem(first.id), options) }
        let lines = found.prefix(20).enumerated().map { number, item in
            console.isInteractive && console.isErrorShown
                ? "  \(number + 1)  \(DeletedLines.name(item))\n"
                : "\n  \(item.code)  \(DeletedLines.name(item))"
        }
        guard console.isInteractive, console.isErrorShown else {
            throw EverydayFailure(
                "\"\(name)\" may be any of these deleted items; give the code of one:"
                    + lines.joined()
            )
        }
        console.write(Array(lines.joined().utf8), to: .error)
        let typed = try console.askLine("Which one (1-\(lines.count)): ")
        guard let number = Int(typed), (1...lines.count).contains(number) else {
            throw EverydayFailure("no item was chosen, and nothing was done")
        }
        return try call(RestoreDeletedItem(found[number - 1].id), options)
    }

    /// Why no deleted item is restored: there may be an item of the name whose versions are meant.
    private func nothingDeleted(named name: String, _ options: WordOptions) throws -> any Error {
        var search = ListItems()
        search.meaning = name
        let isThere = try !call(search, options).items.isEmpty
        return EverydayFailure(
            isThere
                ? "\"\(name)\" is not deleted; to put an earlier value back, give the number that"
                    + " \"keychain history\" shows for it"
                : "there is no deleted item \"\(name)\"; \"keychain deleted\" shows all",
            status: EverydayFailure.notFoundStatus
        )
    }
}

extension [ListedDeletion] {
    /// The deleted items that a code or a name may mean, the one that was deleted last first.
    package func meant(by name: String) -> [ListedDeletion] {
        let typed = name.lowercased()
        let ofCode = filter { $0.code == typed }
        guard ofCode.isEmpty else { return ofCode }
        let called = filter { $0.listed.isCalled(name) }
        return called.isEmpty ? filter { $0.contains(name) } : called
    }
}

extension ListedDeletion {
    /// The item as lists show it.
    fileprivate var listed: ListedItem {
        ListedItem(reference: [], type: type, title: title, userName: userName, place: place)
    }

    fileprivate func contains(_ word: String) -> Bool {
        let word = word.lowercased()
        return !word.isEmpty
            && [title, userName, place].contains { $0.lowercased().contains(word) }
    }

    fileprivate var deleter: String {
        device ?? (isOfThisDevice ? "this device" : "another device")
    }
}

/// How deleted items stand in lists and questions.
package enum DeletedLines {
    static func name(_ item: ListedDeletion) -> String {
        let time = item.deleted.moment.short
        return "\(Printable.text(ItemLines.name(item.listed)))"
            + "  (deleted \(time) on \(Printable.text(item.deleter)))"
    }

    static func table(_ items: [ListedDeletion], width: Int) -> String {
        PlainTable(
            columns: [
                .init("CODE", isKept: true), .init("TITLE", isKept: true), .init("USER NAME"),
                .init("PLACE"), .init("DELETED"), .init("ON"),
            ],
            rows: items.map { item in
                [
                    item.code, item.title, item.userName,
                    item.place == item.title ? "" : item.place,
                    item.deleted.moment.short, item.deleter,
                ]
            }
        ).text(fitting: width)
    }

    /// Tabs between the columns, for other programs.
    package static func line(_ item: ListedDeletion) -> String {
        let time = item.deleted.moment.iso8601
        return [item.code, item.title, item.userName, item.place, time, item.deleter]
            .map { Printable.text($0) }.joined(separator: "\t") + "\n"
    }

    package static func json(_ item: ListedDeletion) -> JSONValue {
        .object([
            ("code", .text(item.code)), ("type", .text(item.type)), ("title", .text(item.title)),
            ("userName", .text(item.userName)), ("place", .text(item.place)),
            ("synced", .bool(item.isSynced)),
            ("deleted", .date(secondsSince2001: item.deleted.secondsSince2001)),
            ("device", item.device.map { .text($0) } ?? .null),
            ("thisDevice", .bool(item.isOfThisDevice)),
        ])
    }
}

/// What the command that forgets earlier values has done.
enum ForgottenLines {
    static func lines(_ forgotten: ForgottenVersions, of item: ListedItem) -> [String] {
        let title = Printable.text(item.title)
        var lines = [
            forgotten.count == 0
                ? "\(title) has no earlier values"
                : "\(title): forgot \(counted(forgotten.count, "earlier value"))"
        ]
        if forgotten.deletedItems > 0 {
            lines.append(
                "\(title): forgot \(deletedItems(forgotten)) of the same place and user name;"
                    + " other devices keep theirs for up to 30 days"
            )
        }
        if forgotten.conflicts > 0 {
            let verb = forgotten.conflicts == 1 ? "stays" : "stay"
            lines.append(
                "\(title): \(counted(forgotten.conflicts, "value")) in conflict \(verb) until the"
                    + " present one is set or another is put back"
            )
        }
        return lines
    }

    static func deletedItems(_ forgotten: ForgottenVersions) -> String {
        counted(forgotten.deletedItems, "deleted item")
    }

    static func json(_ forgotten: ForgottenVersions, of item: ListedItem) -> JSONValue {
        .object([
            ("reference", .text(String(hexadecimal: item.reference))),
            ("title", .text(item.title)), ("forgotten", .number(forgotten.count)),
            ("conflicts", .number(forgotten.conflicts)),
            ("deletedItems", .number(forgotten.deletedItems)),
        ])
    }
}

/// What a restore of earlier values has done.
package enum RestoredLines {
    package static func lines(_ restored: RestoredVersions, of item: ListedItem) -> [String] {
        restored.values.map { value in
            let time = value.time.map { $0.moment.short }
            let origin =
                (time.map { " of " + $0 } ?? "") + (value.device.map { ", set on \($0)," } ?? "")
            let end = value.isUnchanged ? "is current already" : "is current again"
            return Printable.text("\(item.title): \(value.name)\(origin) \(end)")
        }
    }

    package static func json(_ restored: RestoredVersions, of item: ListedItem) -> JSONValue {
        .object([
            ("reference", .text(String(hexadecimal: item.reference))),
            ("title", .text(item.title)),
            (
                "restored",
                .list(
                    restored.values.map { value in
                        .object([
                            ("version", .number(value.version)), ("name", .text(value.name)),
                            ("time", .date(secondsSince2001: value.time?.secondsSince2001 ?? 0)),
                            ("device", value.device.map { .text($0) } ?? .null),
                            ("changed", .bool(!value.isUnchanged)),
                        ])
                    }
                )
            ),
        ])
    }
}

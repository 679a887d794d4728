internal import KSAgent

/// What a command has changed of an item, in one line for a terminal.
enum ChangeLines {
    /// `form`: what was asked for; `before`: the item as it was.
    static func line(
        _ form: ItemForm,
        from before: ListedItem,
        to after: ListedItem
    ) -> String {
        let name = Printable.text(ItemLines.name(after))
        // Each change moves the date.
        guard after.changedSeconds != before.changedSeconds else { return "\(name) is as it was" }
        let parts = parts(form, of: after)
        return "changed \(name)" + (parts.isEmpty ? "" : ": " + Printable.text(parts))
    }

    private static func parts(_ form: ItemForm, of item: ListedItem) -> String {
        let secretName = item.type == "note" ? "text" : "password"
        // A value that was set, or taken away; nil for one that stayed.
        let values: [(name: String, isEmpty: Bool?)] = [
            ("title", form.title.map(\.isEmpty)), ("user name", form.userName.map(\.isEmpty)),
            (secretName, form.secret.map(\.isEmpty)), ("place", form.place.map(\.isEmpty)),
            ("note", form.note.map(\.isEmpty)), ("type", form.type.map(\.isEmpty)),
        ]
        let fields = (form.fields ?? []).map(\.name)
        let lists: [(verb: String, names: [String])] = [
            ("set", values.filter { $0.isEmpty == false }.map(\.name) + fields),
            (
                "removed",
                values.filter { $0.isEmpty == true }.map(\.name) + (form.removedFields ?? [])
            ),
            ("added the tag", form.addedTags ?? []), ("removed the tag", form.removedTags ?? []),
            ("added the address", (form.addedAddresses ?? []).map(\.text)),
            ("removed the address", form.removedAddresses ?? []),
        ]
        var parts = lists.filter { !$0.names.isEmpty }.map { verb, names in
            "\(verb) \(names.joined(separator: ", "))"
        }
        if let isFavorite = form.isFavorite {
            parts.append(isFavorite ? "marked as a favorite" : "no favorite any more")
        }
        return parts.joined(separator: "; ")
    }
}

extension Everyday {
    /// Changes an item, and says so on a terminal; elsewhere only with `--json`.
    func change(_ item: ListedItem, _ form: ItemForm, _ options: WordOptions) throws {
        var form = form
        form.keepsSecret = form.secret != nil ? true : nil
        let changed = try call(ChangeItem(item.reference, form), options)
        sayChanged(form, from: item, to: changed, options)
    }

    func sayChanged(
        _ form: ItemForm,
        from before: ListedItem,
        to after: ListedItem,
        _ options: WordOptions
    ) {
        if options.has("json") {
            say(ItemLines.json(after).text + "\n")
        } else if console.isShown {
            say(ChangeLines.line(form, from: before, to: after) + "\n")
        }
    }
}

package import KSAgent
internal import KSEditing

// `edit` without options: an item as text in the user's editor.
extension Everyday {
    /// The lines of an item that are not fields of its own.
    private static func attributes(of item: ShownItem) -> [String] { item.commonNames + ["tags"] }

    /// Edits an item as text.
    ///
    /// - Returns: the changes, and the item as it is afterwards.
    @discardableResult
    package func editAsText(
        _ listed: ListedItem,
        _ options: WordOptions
    ) throws -> (form: ItemForm, item: ListedItem) {
        let editor = Editor()
        guard editor.isNamed || console.isInteractive && console.isShown else {
            throw EverydayFailure(
                "there is no terminal to edit on; change the item with --set FIELD=VALUE"
            )
        }
        let item = try call(ShowItem(listed.reference, showsSecrets: true), options)
        let before = Self.lines(of: item)
        let text = ItemText.text(
            of: before,
            comment: [
                "Save and close to change the item; leave it as it is to change nothing.",
                "A field is NAME: VALUE or NAME (KIND): VALUE; attachments stay as they are.",
                "An address is a line of its own, address: URL or address: URL (RULE).",
            ]
        )
        var typed = Array(text.utf8)
        // Whether there is something that the user would lose.
        var isDraft = false
        while true {
            do throws(EditorError) {
                // A draft that was left as it is still has its mistake.
                guard let edited = try editor.edit(typed) ?? (isDraft ? typed : nil) else {
                    throw EditorError.interrupted
                }
                (typed, isDraft) = (edited, true)
            } catch {
                guard error != .interrupted else { throw EverydayFailure("nothing was changed") }
                guard isDraft else { throw EverydayFailure(error.description) }
                try askToEditAgain(after: EverydayFailure(error.description))
                continue
            }
            do {
                let after = try Self.fields(of: typed)
                let form = try Self.form(from: before, to: after, of: item)
                return (form, try call(ChangeItem(listed.reference, form), options))
            } catch {
                try askToEditAgain(after: error)
            }
        }
    }

    private static func fields(of text: [UInt8]) throws -> [EditedField] {
        do throws(ItemTextError) {
            return try ItemText.fields(of: text, repeating: AddressLine.name)
        } catch {
            throw EverydayFailure(error.description + ", and the item is as it was")
        }
    }

    /// What a person has typed is not thrown away because of a mistake in it.
    private func askToEditAgain(after error: any Error) throws {
        guard console.isInteractive, console.isErrorShown else { throw error }
        switch error {
        case let failure as EverydayFailure: complain(failure.sentence)
        case let error as AgentError: complain(Self.sentence(of: error))
        default: throw error
        }
        while true {
            switch try console.askLine("edit again, or discard your changes? [EDIT/discard] ")
                .lowercased()
            {
            case "", "e", "edit", "y", "yes": return
            case "d", "discard": throw EverydayFailure("nothing was changed")
            default: complain("type edit or discard; your changes are still there")
            }
        }
    }

    private static func lines(of item: ShownItem) -> [EditedField] {
        let attributes = attributes(of: item)
        let secret = item.secret.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let values = [
            "title": item.title, "user name": item.userName, item.secretName: secret,
            "place": item.place, "note": item.note, "tags": TagLine.text(of: item.tags),
        ]
        let common = attributes.map { EditedField(name: $0, value: values[$0] ?? "") }
        // A field of another program may have the name of one of the lines above.
        let own = item.fields.filter { $0.kind != "file" && !attributes.contains($0.name) }
        return common + item.addresses.map(AddressLine.field)
            + own.map { field in
                EditedField(
                    name: field.name,
                    kind: field.kind == "text" && field.name != AddressLine.name ? nil : field.kind,
                    value: String(decoding: field.value ?? [], as: UTF8.self)
                )
            }
    }

    /// What the user changed, and nothing else: other devices may change the rest.
    static func form(
        from before: [EditedField],
        to after: [EditedField],
        of item: ShownItem
    ) throws -> ItemForm {
        let attributes = attributes(of: item)
        var form = ItemForm()
        form.keepsSecret = true
        try AddressLine.change(
            &form,
            from: before.filter(AddressLine.isOne),
            to: after.filter(AddressLine.isOne)
        )
        let (before, after) = (
            before.filter { !AddressLine.isOne($0) }, after.filter { !AddressLine.isOne($0) }
        )
        // Of a field that only moves, bytes that are no text stay as they are.
        let stored = Dictionary(item.fields.map { ($0.name, $0.value ?? []) }) { first, _ in first }
        let old = Dictionary(uniqueKeysWithValues: before.map { ($0.name, $0) })
        let new = Dictionary(uniqueKeysWithValues: after.map { ($0.name, $0) })
        // A name with a typing mistake must not take the value away.
        if let name = attributes.first(where: { new[$0] == nil && old[$0]?.value.isEmpty == false })
        {
            throw EverydayFailure(
                "the line \"\(name):\" is missing; leave it empty to take the value away"
            )
        }
        func changed(_ name: String) -> String? {
            let value = new[name]?.value ?? ""
            return value == old[name]?.value ? nil : value
        }
        form.title = changed("title")
        form.userName = changed("user name")
        form.secret = changed(item.secretName).map { Array($0.utf8) }
        form.place = changed("place")
        form.note = changed("note")
        let oldTags = TagLine.tags(of: old["tags"]?.value ?? "")
        let newTags = TagLine.tags(of: new["tags"]?.value ?? "")
        form.addedTags = newTags.subtracting(oldTags).sorted()
        form.removedTags = oldTags.subtracting(newTags).sorted()
        let isField = { (name: String) in !attributes.contains(name) }
        form.removedFields = before.map(\.name).filter { isField($0) && new[$0] == nil }
        let kept = before.map(\.name).filter { isField($0) && new[$0] != nil }
        let order = after.map(\.name).filter(isField)
        let isMoved = order.filter { old[$0] != nil } != kept
        form.fields = after.indices.compactMap { index in
            let field = after[index]
            guard isField(field.name), field != old[field.name] || isMoved else { return nil }
            let next = after[(index + 1)...].map(\.name).first(where: isField)
            return .init(
                name: field.name,
                kind: field.kind ?? "text",
                value: field == old[field.name]
                    ? stored[field.name] ?? [] : Array(field.value.utf8),
                before: isMoved || old[field.name] == nil ? next : nil
            )
        }
        // The last one first, so that each finds the one before which it stands.
        form.fields?.reverse()
        return form
    }
}

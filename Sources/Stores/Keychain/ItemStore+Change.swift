package import GRDB

extension ItemStore {
    /// Changes all items that match, or none of them.
    ///
    /// `leavesTombstones`: as for ``delete(_:leavesTombstones:in:)``, at keys that change.
    /// `transaction`: one that includes the change, and that continues if the change fails.
    ///
    /// - Returns: the number of items.
    /// - Throws: ``KeychainError/itemNotFound`` when none matches, ``KeychainError/duplicateItem``
    ///   when a new key is taken; nothing is changed then.
    @discardableResult
    package func update(
        _ query: KeychainQuery,
        _ changes: ItemChanges,
        leavesTombstones: Bool? = nil,
        in transaction: Database? = nil
    ) throws(ItemStoreError) -> Int {
        try change(in: transaction) { database in
            var query = query
            query.wantsAttributes = true
            query.wantsSecret = true
            query.wantsExtras = true
            let search = try RowSearch(query, rows: rows)
            let set = try converted(changes, for: query)
            var count = 0
            for stored in try search.all(in: database) {
                guard let before = try reader.open(stored) else { continue }
                var after = before
                after.attributes.merge(set) { _, new in new }
                for name in changes.removed { after.attributes[name] = nil }
                after.secret = changes.secret ?? before.secret
                after.extras.change(changes.extras)
                after.attributes[.modificationDate] = .date(dateAfter(before))
                try after.checkMeaning()
                after.attributes[.digest] = .data(ItemDigest.of(after))
                let sealed = try rows.sealEarly(after, row: stored.row)
                try makeWay(for: sealed, of: after, except: stored.id, in: database)
                try overwrite(stored, with: sealed, in: database)
                try leaveTombstone(of: before, movedTo: after, leavesTombstones, in: database)
                try record(before: before, after: after, in: database)
                count += 1
            }
            guard count > 0 else { throw ItemStoreError.itemNotFound }
            return count
        }
    }

    /// The attributes to set, in their stored form.
    private func converted(
        _ changes: ItemChanges,
        for query: KeychainQuery
    ) throws(ItemStoreError) -> [AttributeName: AttributeValue] {
        var set: [AttributeName: AttributeValue] = [:]
        for (name, value) in changes.attributes.sorted(by: { $0.key < $1.key }) {
            let description = try query.itemClass.attribute(name)
            let kept = try description.kind.converted(value)
            switch name {
            case .modificationDate, .multiUser: continue
            case .sharingGroup: throw .parameter
            case .accessGroup: try query.access.check(kept)
            default: break
            }
            set[name] = kept
        }
        return set
    }

    /// Now, but at least a millisecond after the item's last change.
    func dateAfter(_ item: Item) -> Double {
        max(now, item.modificationSeconds.map { $0 + 0.001 } ?? now)
    }
}

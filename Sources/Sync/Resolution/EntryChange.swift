/// What the user did to an entry of a store.
package enum EntryChange<Entry> {
    case added(Entry)
    /// A deleted entry that came back, with all that it had.
    case restored(Entry)
    case edited(before: Entry, after: Entry)
    /// The key changed, so the entry belongs to another record.
    case renamed(before: Entry, after: Entry)
    case deleted(before: Entry)
}

extension EntryChange: Equatable where Entry: Equatable {}
extension EntryChange: Sendable where Entry: Sendable {}

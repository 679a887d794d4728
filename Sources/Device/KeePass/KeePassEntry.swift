internal import KSRedaction

/// One entry of a database, or an earlier version of one.
package struct KeePassEntry: Sendable {
    package struct Value: Hashable, Sendable {
        package var name: String
        /// UTF-8.
        package var value: [UInt8]
        /// Whether programs hide it.
        package var isProtected: Bool

        package init(_ name: String, _ value: [UInt8], isProtected: Bool = false) {
            (self.name, self.value, self.isProtected) = (name, value, isProtected)
        }
    }

    package struct Attachment: Hashable, Sendable {
        package var name: String
        /// Nil if the file does not have it, though the entry refers to it.
        package var bytes: [UInt8]?

        package init(_ name: String, _ bytes: [UInt8]?) { (self.name, self.bytes) = (name, bytes) }
    }

    /// Of 16 bytes.
    package var id: [UInt8] = []
    package var values: [Value] = []
    package var attachments: [Attachment] = []
    /// Separated by semicolons or commas.
    package var tags = ""
    /// As text of RFC 3339, or the seconds since the year 1 in Base64.
    package var created = ""
    package var changed = ""
    package var expiry = ""
    package var expires = false
    /// What else it has that is not the usual: the icon, say, or data of plug-ins.
    package var others: Set<String> = []
    /// Earlier versions, the oldest first.
    package var history: [KeePassEntry] = []

    package init() {}

    package subscript(name: String) -> [UInt8]? { values.first { $0.name == name }?.value }
}

/// What a database has beside its entries.
package struct KeePassDatabase: Sendable {
    package struct Group: Sendable {
        package var id: [UInt8] = []
        package var name = ""
        /// The place of the group around it; nil for the outermost.
        package var parent: Int?
        /// Whether it has a note, an icon, tags or settings.
        package var hasOthers = false
    }

    /// In the order of the file, each after the one around it.
    package var groups: [Group] = []
    /// The group of what was deleted; empty or zeros without one.
    package var binID: [UInt8] = []
    /// Whether the hash of the header within the contents is that of another header (version 3).
    package var hasStaleHash = false

    package init() {}

    /// The names of the groups around an entry, without the outermost.
    package func path(of group: Int) -> [String] {
        var names: [String] = []
        var next: Int? = group
        while let place = next, let parent = groups[place].parent {
            names.insert(groups[place].name, at: 0)
            next = parent
        }
        return names
    }

    /// Which groups are within a recycle bin.
    ///
    /// A merge of two databases leaves two groups of that name, of which one is the bin.
    package var areInBin: [Bool] {
        let bin = groups.first { $0.id == binID && binID.contains { $0 != 0 } }
        let names: Set = ["Recycle Bin", bin?.name ?? "Recycle Bin"]
        var result: [Bool] = []
        for group in groups {
            let isBin =
                group.parent != nil
                && (group.id == bin?.id || names.contains(group.name))
            result.append(isBin || group.parent.map { result[$0] } ?? false)
        }
        return result
    }
}

extension KeePassEntry: Redacted {}
extension KeePassEntry.Value: Redacted {}
extension KeePassEntry.Attachment: Redacted {}
extension KeePassKey: Redacted {}

internal import KSRedaction

// Calls about what was: earlier values of an item, and deleted items.

/// Shows the current and earlier values of an item, and numbers those that can be put back.
package struct GetItemHistory: AgentCall, Codable {
    package typealias Answer = [ShownHistory]
    package static let name = "items.history"
    package static let permission = AgentPermission.seesAll
    package static let failsByStatus = true

    package var reference: [UInt8]
    /// Whether hidden values are wanted too.
    package var showsSecrets: Bool

    package init(_ reference: [UInt8], showsSecrets: Bool = false) {
        (self.reference, self.showsSecrets) = (reference, showsSecrets)
    }
}

/// Finds the item whose record has a code of 8 letters and digits; none if it is not here.
package struct FindItemOfCode: AgentCall, Codable {
    package typealias Answer = ItemList
    package static let name = "items.ofCode"
    package static let permission = AgentPermission.seesAll
    package static let failsByStatus = true
    package var mayRepeat: Bool { true }

    package var code: String

    package init(_ code: String) { self.code = code }
}

/// Puts earlier values of an item back, as an ordinary edit.
package struct RestoreVersions: AgentCall, Codable {
    package typealias Answer = RestoredVersions
    package static let name = "items.restoreVersions"
    package static let permission = AgentPermission.seesAll
    package static let failsByStatus = true

    package var reference: [UInt8]
    /// The numbers that a command has shown last.
    package var versions: [Int64]

    package init(_ reference: [UInt8], versions: [Int64]) {
        (self.reference, self.versions) = (reference, versions)
    }
}

/// What ``RestoreVersions`` has put back.
package struct RestoredVersions: AgentCoded, Codable, Redacted {
    package struct Value: Codable, Sendable, Redacted {
        package var version: Int64
        /// What people call it: the field's name, or "password".
        package var name: String
        @OrNull
        package var time: AgentDate?
        @OrNull
        package var device: String?
        /// Whether the item had this value already.
        package var isUnchanged: Bool

        package init(
            version: Int64,
            name: String,
            time: AgentDate?,
            device: String?,
            isUnchanged: Bool
        ) {
            (self.version, self.name, self.isUnchanged) = (version, name, isUnchanged)
            (self.time, self.device) = (time, device)
        }
    }

    package var values: [Value]

    package init(_ values: [Value]) { self.values = values }
}

/// Forgets earlier values of an item, on all devices: nobody can put them back.
///
/// With all of them go the deleted items of the same key that this device keeps.
package struct ForgetVersions: AgentCall, Codable {
    package typealias Answer = ForgottenVersions
    package static let name = "items.forgetVersions"
    package static let permission = AgentPermission.seesAll
    package static let failsByStatus = true

    package var reference: [UInt8]
    /// The numbers that a command has shown last; none for all values that were superseded.
    package var versions: [Int64]
    /// False only to ask what it would do.
    package var isCarriedOut: Bool

    package init(_ reference: [UInt8], versions: [Int64], isCarriedOut: Bool = true) {
        (self.reference, self.versions) = (reference, versions)
        self.isCarriedOut = isCarriedOut
    }
}

/// What ``ForgetVersions`` has done, or would do.
package struct ForgottenVersions: AgentCoded, Codable, Redacted {
    /// How many values are forgotten.
    package var count: Int64
    /// How many concurrent values stay.
    package var conflicts: Int64
    /// How many deleted items of the same key are forgotten on this device.
    package var deletedItems: Int64

    package init(count: Int64, conflicts: Int64, deletedItems: Int64) {
        (self.count, self.conflicts) = (count, conflicts)
        self.deletedItems = deletedItems
    }
}

/// Lists the deleted items that can be restored.
package struct ListDeletedItems: AgentCall, Codable {
    package typealias Answer = DeletedItemList
    package static let name = "items.deleted"
    package static let permission = AgentPermission.seesAll
    package static let failsByStatus = true

    package init() {}
}

package struct DeletedItemList: AgentCoded, Codable, Redacted {
    /// The one that was deleted last comes first.
    package var items: [ListedDeletion]
    /// How many cannot be read.
    package var unreadableCount: Int64

    package init(_ items: [ListedDeletion], unreadableCount: Int64) {
        (self.items, self.unreadableCount) = (items, unreadableCount)
    }
}

/// A deleted item: what is visible of it without its secret.
package struct ListedDeletion: Codable, Sendable, Equatable, Redacted {
    /// 16 bytes that name this deletion on this device.
    package var id: [UInt8]
    /// 8 letters and digits that people type for it.
    package var code: String
    package var type: String
    package var title: String
    package var userName: String
    package var place: String
    package var isSynced: Bool
    package var deleted: AgentDate
    /// The device that deleted it; nil if it is unknown.
    @OrNull
    package var device: String?
    package var isOfThisDevice: Bool

    package init(
        id: [UInt8],
        code: String,
        type: String,
        title: String,
        userName: String,
        place: String,
        isSynced: Bool,
        deleted: AgentDate,
        device: String?,
        isOfThisDevice: Bool
    ) {
        (self.id, self.code, self.type, self.title) = (id, code, type, title)
        (self.userName, self.place, self.isSynced) = (userName, place, isSynced)
        (self.deleted, self.device, self.isOfThisDevice) = (deleted, device, isOfThisDevice)
    }
}

/// Makes a deleted item again.
package struct RestoreDeletedItem: AgentCall, Codable {
    package typealias Answer = ListedItem
    package static let name = "items.restoreDeleted"
    package static let permission = AgentPermission.seesAll
    package static let failsByStatus = true

    package var id: [UInt8]

    package init(_ id: [UInt8]) { self.id = id }
}

/// The history of an item; of a key-value entry (`kv`), only its store and key.
package struct ShownHistory: AgentCoded, Codable, Redacted {
    package var item: String
    package var `class`: String
    package var attributes: AgentDictionary
    package var deletedElsewhere: Bool
    package var versions: [ShownVersion]
    package var attributeConflicts: [ShownConflict]
    /// Earlier and concurrent values of fields, tags and addresses, and earlier titles and notes.
    package var others: [ShownOther]?
    /// What people call its secret; nil for an entry.
    package var secretName: String?

    package init(
        item: String,
        class: String,
        attributes: AgentDictionary,
        deletedElsewhere: Bool,
        versions: [ShownVersion],
        attributeConflicts: [ShownConflict],
        others: [ShownOther]? = nil,
        secretName: String? = nil
    ) {
        (self.item, self.class, self.attributes) = (item, `class`, attributes)
        (self.deletedElsewhere, self.versions) = (deletedElsewhere, versions)
        (self.attributeConflicts, self.others) = (attributeConflicts, others)
        self.secretName = secretName
    }
}

/// A current or earlier secret of an item.
package struct ShownVersion: AgentCoded, Codable, Redacted {
    /// The number by which it is put back; nil for the current one.
    @OrNull
    package var version: Int64?
    package var standing: String
    /// Nil if the version is unsent.
    @OrNull
    package var time: AgentDate?
    /// The device that set it; nil if it is unknown.
    @OrNull
    package var device: String?
    package var secret: [UInt8]?

    package init(
        version: Int64? = nil,
        standing: String,
        time: AgentDate?,
        device: String? = nil,
        secret: [UInt8]?
    ) {
        (self.standing, self.secret) = (standing, secret)
        (self.version, self.time, self.device) = (version, time, device)
    }
}

/// A conflicting value of an attribute.
package struct ShownConflict: Codable, Sendable, Redacted {
    @OrNull
    package var version: Int64?
    package var attribute: String
    package var value: AgentValue
    @OrNull
    package var time: AgentDate?
    @OrNull
    package var device: String?

    package init(
        version: Int64? = nil,
        attribute: String,
        value: AgentValue,
        time: AgentDate?,
        device: String? = nil
    ) {
        (self.attribute, self.value) = (attribute, value)
        (self.version, self.time, self.device) = (version, time, device)
    }
}

/// An earlier or concurrent value of something other than the secret.
package struct ShownOther: Codable, Sendable, Redacted {
    @OrNull
    package var version: Int64?
    /// `field`, `tag`, `address`, `mark` or `attribute`.
    package var kind: String
    /// What people call it: the field's name, or "note".
    package var name: String
    package var standing: String
    @OrNull
    package var time: AgentDate?
    @OrNull
    package var device: String?
    /// Nil for a hidden value that was not asked for, and for a file.
    package var value: [UInt8]?
    /// The size of a file; nil for all else.
    package var fileBytes: Int64?

    package init(
        version: Int64? = nil,
        kind: String,
        name: String,
        standing: String,
        time: AgentDate?,
        device: String? = nil,
        value: [UInt8]?,
        fileBytes: Int64? = nil
    ) {
        (self.kind, self.name, self.standing, self.value) = (kind, name, standing, value)
        (self.version, self.time, self.device) = (version, time, device)
        self.fileBytes = fileBytes
    }
}

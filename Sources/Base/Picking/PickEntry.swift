/// An item as the picker lists it; nothing in it is secret.
package struct PickEntry: Hashable, Sendable {
    package let id: String
    package let title: String
    /// The name of the user.
    package let subtitle: String
    package let site: String
    package let isFavorite: Bool
    package let hasCode: Bool

    package init(
        id: String,
        title: String,
        subtitle: String = "",
        site: String = "",
        isFavorite: Bool = false,
        hasCode: Bool = false
    ) {
        (self.id, self.title, self.subtitle, self.site) = (id, title, subtitle, site)
        (self.isFavorite, self.hasCode) = (isFavorite, hasCode)
    }
}

/// An entry that matches what the user typed, and where.
///
/// The ranges count characters.
package struct PickMatch: Hashable, Sendable {
    package let id: String
    package let titleRanges: [Range<Int>]
    package let subtitleRanges: [Range<Int>]
    package let siteRanges: [Range<Int>]

    package init(
        id: String,
        titleRanges: [Range<Int>] = [],
        subtitleRanges: [Range<Int>] = [],
        siteRanges: [Range<Int>] = []
    ) {
        (self.id, self.titleRanges) = (id, titleRanges)
        (self.subtitleRanges, self.siteRanges) = (subtitleRanges, siteRanges)
    }
}

/// The entries that match a text, the best first; all of them for an empty text.
package typealias PickMatcher = (_ query: String) -> [PickMatch]

/// Where a text matches the entry at a place; asked only for the rows that are shown.
package typealias PickHighlighter = (_ place: Int, _ query: String) -> PickMatch

/// A field of an item.
package struct PickField: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
        case text(String)
        /// Shown on demand only; its text comes by ``PickEvent/revealed(id:field:text:)``.
        case secret
        /// A one-time code; times are in seconds of the clock of ``PickEvent/tick(seconds:)``.
        case code(String, periodSeconds: Int, endsAtSeconds: Int)
    }

    package let name: String
    package let value: Value

    package init(_ name: String, _ value: Value) {
        (self.name, self.value) = (name, value)
    }
}

/// What happens to the picker, beside keys.
package enum PickEvent: Sendable {
    case resized(rows: Int, columns: Int)
    /// The time, in seconds since 1970; it need not come more often than once a second.
    case tick(seconds: Int)
    /// The result of ``PickAction/loadDetails(id:)``.
    case details(id: String, [PickField])
    /// The result of ``PickAction/reveal(id:field:)``.
    case revealed(id: String, field: Int, text: String)
    /// The items have changed; the matcher knows the new ones.
    case entries([PickEntry])
    /// An action has done what it should; the sentence says what.
    case done(String)
    /// An action has failed; the sentence says why.
    case failed(String)
}

/// What the picker wants to be done.
package enum PickAction: Hashable, Sendable {
    /// Answered by ``PickEvent/details(id:_:)``, or by a failure.
    case loadDetails(id: String)
    /// Answered by ``PickEvent/revealed(id:field:text:)``; fields count from 0.
    case reveal(id: String, field: Int)
    /// Copies a field, or the password; answered by ``PickEvent/done(_:)``.
    case copy(id: String, field: Int?)
    /// Lets the user edit the item; answered by new entries and details.
    case edit(id: String)
    /// Gives the item a new password; answered by ``PickEvent/done(_:)`` and new details.
    case generate(id: String)
    /// The user has chosen an item, or one of its fields, and leaves.
    case choose(id: String, field: Int?)
    case quit
}

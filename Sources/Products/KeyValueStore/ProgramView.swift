internal import KSKeyValues

/// What the program has read of a key.
enum ProgramView: Equatable {
    /// Nothing.
    case none
    /// What memory shows.
    case current
    /// Another value than memory shows now; nil for no value.
    case older(PropertyValue?)
}

/// The values that the program has read, of keys that memory shows with another value now.
///
/// It has merged keys, and keys without a value, of which it remembers as many as a store may have.
struct OlderViews {
    private struct View {
        let value: PropertyValue?
    }

    private var views: [StoreKey: View] = [:]
    /// Whether the program has read all values: it knows then which keys had none.
    private var knowsAll = false

    /// Whether all that the program has read is what memory shows.
    var isEmpty: Bool { views.isEmpty && !knowsAll }

    /// The view of a key that memory does not show as the program read it.
    func view(of key: StoreKey, isShown: Bool) -> ProgramView {
        if let view = views[key] {
            return view.value == nil && !isShown ? .current : .older(view.value)
        }
        return knowsAll && !isShown ? .current : .none
    }

    mutating func forget(_ key: StoreKey) { views[key] = nil }

    /// The program has read all that memory shows.
    mutating func forgetAll() {
        views = [:]
        knowsAll = true
    }

    mutating func keep(_ value: PropertyValue?, of key: StoreKey) {
        views[key] = View(value: value)
    }

    /// Keeps a view of a key without a value in memory.
    ///
    /// - Parameters:
    ///   - value: what the program knows; nil for no value.
    ///   - key: the key.
    ///   - countMax: how many views there may be.
    mutating func keep(_ value: PropertyValue?, ofAbsent key: StoreKey, atMost countMax: Int) {
        if value == nil, knowsAll { return forget(key) }
        guard views[key] != nil || views.count < countMax else { return }
        keep(value, of: key)
    }
}

extension EntryWrite {
    /// The write with what the program has read, so that it changes nothing else.
    ///
    /// - Parameters:
    ///   - seen: the value that the program has read; nil for none.
    ///   - entry: what memory shows; nil for no entry.
    /// - Returns: the write for the daemon.
    /// - Throws: ``KeyValueError/noSuchPlace(_:count:)`` if the program's list has no such place.
    func completed(
        with seen: PropertyValue?,
        over entry: EntryPreview?
    ) throws(KeyValueError) -> EntryWrite {
        // The type of a newer program refuses every write.
        if let entry, entry.type == nil { return self }
        switch self {
        case .set(let value, nil): return .set(value, base: Self.base(of: value, seen, entry))
        case .setField(let field, .integer(let number), nil):
            // The field may be a counter by now.
            guard let fields = Self.fields(seen) else { return self }
            return .setField(field, .integer(number), base: fields[field] ?? .integer(0))
        case .removeField(let field, nil):
            return .removeField(field, base: Self.fields(seen)?[field])
        case .insertAt(.index(let index), let values):
            guard let list = Self.list(seen) else { return self }
            return .insertAt(try list.place(index, isEndAllowed: true), values)
        case .setAt(.index(let index), let value):
            guard let list = Self.list(seen) else { return self }
            return .setAt(try list.place(index), value)
        case .removeAt(.index(let index)):
            guard let list = Self.list(seen) else { return self }
            return .removeAt(try list.place(index))
        case .move(.index(let from), .index(let to)):
            guard let list = Self.list(seen) else { return self }
            let (place, _) = (try list.place(from), try list.place(to))
            var others = list
            others.values.remove(at: from)
            return .move(from: place, to: try others.place(to, isEndAllowed: true))
        default: return self
        }
    }

    /// The base of a plain write.
    ///
    /// The daemon may have a merged type that memory does not show yet. An integer is sent with
    /// its base in any case; an array or a dictionary, which may be large, unless memory shows a
    /// register.
    private static func base(
        of value: PropertyValue,
        _ seen: PropertyValue?,
        _ entry: EntryPreview?
    ) -> PropertyValue? {
        guard let empty = value.emptyOfItsType else { return nil }
        guard let seen else { return empty }
        switch (value, seen) {
        case (.integer, .integer): return seen
        case (.array, .array), (.dictionary, .dictionary):
            return entry?.type == .register ? nil : seen
        default: return nil
        }
    }

    private static func fields(_ seen: PropertyValue?) -> PropertyDictionary? {
        switch seen {
        case nil: PropertyDictionary()
        case .dictionary(let fields)?: fields
        default: nil
        }
    }

    private static func list(_ seen: PropertyValue?) -> SeenList? {
        switch seen {
        case nil: SeenList(values: [])
        case .array(let elements)?: SeenList(values: elements.map(\.encoded))
        default: nil
        }
    }
}

/// A list as the program has read it.
private struct SeenList {
    var values: [[UInt8]]

    func place(_ index: Int, isEndAllowed: Bool = false) throws(KeyValueError) -> ListPlace {
        guard index >= 0, index < values.count + (isEndAllowed ? 1 : 0) else {
            throw .noSuchPlace(index, count: values.count)
        }
        return .seen(SeenPlace(index, in: values))
    }
}

extension PropertyValue {
    /// What a program reads as nothing, where it has a value of this type to write.
    fileprivate var emptyOfItsType: PropertyValue? {
        switch self {
        case .integer: .integer(0)
        case .array: .array([])
        case .dictionary: .dictionary(PropertyDictionary())
        default: nil
        }
    }
}

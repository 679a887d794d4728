internal import KSKeychainFiles
internal import KSKeyValues
internal import KSAgent
internal import KSRPC
package import KSSecItem

/// Which programs have which access groups: what `entitlements.json` says.
package struct Entitlements: Equatable, Sendable {
    /// By the resolved paths of executables.
    private var programs: [ProgramPath: ProgramAccess] = [:]

    /// The executables that have an entry.
    package var paths: [String] { programs.keys.map(\.text).sorted() }

    package func hasEntry(_ executable: String) -> Bool { programs[ProgramPath(executable)] != nil }

    /// No file: each program has a group of its own.
    package init() {}

    /// The access of a program that calls the daemon.
    ///
    /// The daemon's own program and the `keychain` beside it see all items; a program with an entry
    /// gets the groups of its entry; any other has a group of its own. A program with an unknown
    /// executable has no group. This separates honest programs; it cannot stop a hostile program
    /// of the same user, which could run `keychain`.
    package func access(
        of executable: String?,
        daemon: String? = AgentPeer.ownExecutable
    ) -> ProgramAccess {
        guard let executable else { return ProgramAccess(accessGroups: []) }
        let path = ProgramPath(executable)
        if let daemon {
            let own = ProgramPath(daemon)
            if path == own || path == own.beside("keychain") { return KeychainFile.program }
        }
        return programs[path] ?? ProgramAccess(accessGroups: ["exe:" + executable])
    }
}

/// An executable's path as its bytes: two strings that Swift calls equal may have different bytes,
/// and then name two files.
private struct ProgramPath: Hashable {
    let bytes: [UInt8]

    init(_ path: String) {
        bytes = Array(path.utf8)
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The file of this name in the same directory.
    func beside(_ name: String) -> ProgramPath {
        let end = bytes.lastIndex(of: UInt8(ascii: "/")) ?? bytes.startIndex
        return ProgramPath(String(decoding: bytes[..<end], as: UTF8.self) + "/" + name)
    }
}

// MARK: The file's contents

extension Entitlements {
    /// The names of the fields, as Apple names the entitlements.
    private enum Field: String {
        case groups = "keychain-access-groups"
        case associated = "com.apple.developer.associated-application-identifier"
        case identifier = "application-identifier"
        case applicationGroups = "com.apple.security.application-groups"
        case further = "entitlements"
        case store = "com.apple.developer.ubiquity-kvstore-identifier"

        /// Those that name access groups, in the order in which these count.
        static let ofGroups: [Self] = [.groups, .associated, .identifier, .applicationGroups]

        /// Whether its value is a text; the others are lists.
        var isText: Bool { self == .identifier || self == .store }
    }

    private static let textCharactersMax = 255

    /// Reads a file's contents.
    ///
    /// `resolve`: gives the path of an executable without symbolic links, or the path itself where
    /// there is none yet.
    package init(json: [UInt8], resolving resolve: (String) -> String) throws(EntitlementsError) {
        let file: AgentValue
        do {
            file = try RPCJSON.value(json)
        } catch {
            // Its sentence goes on, and ends later.
            throw EntitlementsError(sentence: String(error.sentence.dropLast()))
        }
        let whole = try Self.object(file, at: [])
        if let field = whole.entries.first(where: { $0.key != "programs" }) {
            throw EntitlementsError(sentence: "unknown field \"\(field.key)\"")
        }
        let entries = try whole["programs"].map { value throws(EntitlementsError) in
            try Self.object(value, at: ["programs"]).entries
        }
        for entry in entries ?? [] {
            let name = entry.key
            guard name.hasPrefix("/"), !name.contains("\0") else {
                throw EntitlementsError(sentence: "\"\(name)\" should be an absolute path")
            }
            let path = ProgramPath(resolve(name))
            guard programs[path] == nil else {
                throw EntitlementsError(sentence: "\"\(name)\" is the same file as another entry")
            }
            let fields = try Self.object(entry.value, at: ["programs", name])
            programs[path] = try Self.access(fields, of: name)
        }
    }

    private static func object(
        _ value: AgentValue,
        at names: [String]
    ) throws(EntitlementsError) -> AgentDictionary {
        guard let object = value.dictionary else {
            throw .place(names, "this should be an object: { … }")
        }
        return object
    }

    private static func access(
        _ fields: AgentDictionary,
        of program: String
    ) throws(EntitlementsError) -> ProgramAccess {
        var texts: [Field: [String]] = [:]
        for entry in fields.entries {
            guard let field = Field(rawValue: entry.key) else {
                throw EntitlementsError(
                    sentence: "unknown field \"\(entry.key)\" of \"\(program)\""
                )
            }
            let values = try Self.texts(
                entry.value,
                isOne: field.isText,
                at: ["programs", program, entry.key]
            )
            try check(values, of: entry.key)
            texts[field] = values
        }
        var access = ProgramAccess(accessGroups: [])
        access.entitlements = Set(texts[.further] ?? [])
        access.keyValueStore = try texts[.store]?.first.map(store)
        // As on Apple's systems, an app clip does not get its application groups.
        if access.entitlements.contains(Entitlement.appClip) {
            texts[.applicationGroups] = nil
        }
        for field in Field.ofGroups {
            for group in texts[field] ?? [] where !access.accessGroups.contains(group) {
                access.accessGroups.append(group)
            }
        }
        return access
    }

    /// A list of texts, or the one text that a field holds (`isOne`).
    private static func texts(
        _ value: AgentValue,
        isOne: Bool,
        at names: [String]
    ) throws(EntitlementsError) -> [String] {
        func text(_ value: AgentValue, at names: [String]) throws(EntitlementsError) -> String {
            guard let text = value.string else {
                throw .place(names, "this should be a text in quotes")
            }
            return text
        }
        if isOne { return [try text(value, at: names)] }
        guard let elements = value.array else {
            throw .place(names, "this should be a list of texts: [\"…\"]")
        }
        var texts: [String] = []
        for element in elements { texts.append(try text(element, at: names + ["\(texts.count)"])) }
        return texts
    }

    private static func store(_ text: String) throws(EntitlementsError) -> String {
        guard StoreIdentifier(named: text) != nil else {
            throw EntitlementsError(
                sentence: "\"\(text)\" is no name for a key-value store: 1 to"
                    + " \(StoreIdentifier.bytesMax) bytes, no control characters, and no"
                    + " \"\(StoreIdentifier.executablePrefix)\" at its beginning"
            )
        }
        return text
    }

    private static func check(_ texts: [String], of name: String) throws(EntitlementsError) {
        for (index, text) in texts.enumerated() {
            guard !text.isEmpty, text.count <= textCharactersMax, !text.contains("\0") else {
                throw EntitlementsError(
                    sentence:
                        "a text of \"\(name)\" should have 1 to \(textCharactersMax) characters"
                )
            }
            guard !texts[..<index].contains(text) else {
                throw EntitlementsError(sentence: "\"\(text)\" is twice in \"\(name)\"")
            }
        }
    }
}

extension EntitlementsError {
    fileprivate static func place(_ names: [String], _ words: String) -> EntitlementsError {
        EntitlementsError(sentence: (names + [words]).joined(separator: ": "))
    }
}

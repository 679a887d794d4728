internal import Foundation
internal import KSKeychainFiles
internal import KSKeyValues
internal import KSAgent
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
    /// Programs, their fields, and the value of each.
    private typealias File = [String: [String: [String: Texts]]]

    /// The value of a field: one text or a list.
    private enum Texts: Decodable {
        case one(String)
        case list([String])

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            // Everything but a text is decoded as a list: the error then asks for a list.
            if let text = try? value.decode(String.self) {
                self = .one(text)
            } else {
                self = .list(try value.decode([String].self))
            }
        }
    }

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
        let file: File
        do {
            file = try JSONDecoder().decode(File.self, from: Data(json))
        } catch {
            throw EntitlementsError(error, json)
        }
        let fields = file.values.flatMap(\.values).map(\.count)
        let names = file.count + file.values.map(\.count).reduce(0, +) + fields.reduce(0, +)
        guard names == Self.nameCount(json) else {
            throw EntitlementsError(sentence: "a name is there twice, or two look the same")
        }
        // Sorted, so that of several errors the same one is reported each time.
        if let name = file.keys.sorted().first(where: { $0 != "programs" }) {
            throw EntitlementsError(sentence: "unknown field \"\(name)\"")
        }
        for (name, fields) in (file["programs"] ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard name.hasPrefix("/"), !name.contains("\0") else {
                throw EntitlementsError(sentence: "\"\(name)\" should be an absolute path")
            }
            let path = ProgramPath(resolve(name))
            guard programs[path] == nil else {
                throw EntitlementsError(sentence: "\"\(name)\" is the same file as another entry")
            }
            programs[path] = try Self.access(fields, of: name)
        }
    }

    private static func access(
        _ fields: [String: Texts],
        of program: String
    ) throws(EntitlementsError) -> ProgramAccess {
        var texts: [Field: [String]] = [:]
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            let field = Field(rawValue: name)
            switch value {
            case _ where field == nil:
                throw EntitlementsError(sentence: "unknown field \"\(name)\" of \"\(program)\"")
            case .one(let text) where field?.isText == true: texts[field ?? .further] = [text]
            case .list(let list) where field?.isText == false: texts[field ?? .further] = list
            case .one: throw .place(["programs", program, name], EntitlementsError.noList)
            case .list: throw .place(["programs", program, name], EntitlementsError.noText)
            }
            try check(field.flatMap { texts[$0] } ?? [], of: name)
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

    /// How many names a JSON text has: a colon follows each.
    ///
    /// The decoder silently drops one of two equal names. It also equates names that differ only in
    /// how their characters are composed; to the system these are two files.
    private static func nameCount(_ json: [UInt8]) -> Int {
        // Escaped backslashes first: a quote behind one is not escaped.
        let text = json.replacing(#"\\"#.utf8, with: []).replacing(#"\""#.utf8, with: [])
        let outside = text.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
            .enumerated()
        return outside.reduce(0) { count, part in
            let colons = part.element.count { $0 == UInt8(ascii: ":") }
            return part.offset.isMultiple(of: 2) ? count + colons : count
        }
    }
}

extension EntitlementsError {
    fileprivate static let noText = "this should be a text in quotes"
    fileprivate static let noList = "this should be a list of texts: [\"…\"]"

    fileprivate static func place(_ names: [String], _ words: String) -> EntitlementsError {
        EntitlementsError(sentence: (names + [words]).joined(separator: ": "))
    }

    /// Says where the file has an error, and what is expected there.
    fileprivate init(_ error: any Error, _ json: [UInt8]) {
        guard let error = error as? DecodingError else {
            self.init(sentence: "it cannot be read")
            return
        }
        let names = error.context.codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }
        switch (error, names.count) {
        case (.dataCorrupted, _):
            // Unlike the decoder, this reports the place of the error.
            let result = Result { try JSONSerialization.jsonObject(with: Data(json)) }
            guard case .failure(let error as NSError) = result,
                let detail = error.userInfo["NSDebugDescription"] as? String
            else {
                self.init(sentence: "it is not JSON")
                return
            }
            self.init(sentence: "it is not JSON: " + detail.trimmingCharacters(in: ["."]))
        case (_, 1...) where names[0] != "programs":
            self.init(sentence: "unknown field \"\(names[0])\"")
        case (_, 0...2): self = .place(names, "this should be an object: { … }")
        case (_, 3): self = .place(names, Self.noList)
        default: self = .place(names, Self.noText)
        }
    }
}

extension DecodingError {
    fileprivate var context: Context {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context), .dataCorrupted(let context):
            context
        @unknown default: Context(codingPath: [], debugDescription: "")
        }
    }
}

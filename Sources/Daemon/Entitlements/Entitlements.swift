internal import KSKeychainFiles
internal import KSAgent
package import KSKeychain
internal import KSSecItem

/// What one program may do with the keychain.
package struct ProgramAccess: Equatable, Sendable {
    /// In their order: items go to the first unless they say otherwise.
    package var accessGroups: [String]
    /// Whether it may use any group, whatever its list says.
    package var seesAllGroups = false
    /// The names of Apple's entitlements that it has besides.
    package var entitlements: Set<String> = []

    package init(
        accessGroups: [String],
        seesAllGroups: Bool = false,
        entitlements: Set<String> = []
    ) {
        self.accessGroups = accessGroups
        self.seesAllGroups = seesAllGroups
        self.entitlements = entitlements
    }

    /// The group that stands for all.
    package static let wildcard = "*"

    /// The same for the keychain's own calls.
    package var callerAccess: CallerAccess {
        if seesAllGroups || accessGroups.contains(Self.wildcard), let first = accessGroups.first {
            return .all(defaultGroup: first)
        }
        return .groups(accessGroups)
    }
}

/// Which programs have which access groups: what `entitlements.json` says.
package struct Entitlements: Equatable, Sendable {
    /// By the resolved paths of executables.
    private var programs: [ProgramPath: ProgramAccess] = [:]

    /// The executables that have an entry.
    package var paths: [String] { programs.keys.map(\.text).sorted() }

    package func hasEntry(_ executable: String) -> Bool { programs[ProgramPath(executable)] != nil }

    /// No file: each program has a group of its own.
    package init() {}

    /// What a program gets that calls the daemon.
    ///
    /// The daemon's own program and the `keychain` beside it see all; one with an entry has what
    /// that says; any other has a group of its own. One whose executable is not known has none:
    /// it could be any. This keeps honest programs apart and stops no one of the same user, who
    /// could run `keychain` as well.
    package func access(
        of executable: String?,
        daemon: String? = AgentPeer.ownExecutable
    ) -> ProgramAccess {
        guard let executable else { return ProgramAccess(accessGroups: []) }
        let path = ProgramPath(executable)
        if let daemon {
            let own = ProgramPath(daemon)
            if path == own || path == own.beside("keychain") {
                return ProgramAccess(accessGroups: [KeychainFile.group], seesAllGroups: true)
            }
        }
        return programs[path] ?? ProgramAccess(accessGroups: ["exe:" + executable])
    }
}

/// An executable's path as its bytes: to Swift two texts that look alike are equal, to the system
/// they name two files.
private struct ProgramPath: Hashable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    init(_ path: String) {
        bytes = Array(path.utf8)
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The file of this name in the same directory.
    func beside(_ name: String) -> ProgramPath {
        let slash = UInt8(ascii: "/")
        let directory = bytes[..<(bytes.lastIndex(of: slash) ?? bytes.startIndex)]
        return ProgramPath(bytes: directory + [slash] + Array(name.utf8))
    }
}

// MARK: The file's contents

extension Entitlements {
    /// The names of the fields, as Apple names the entitlements, in the order in which their groups
    /// count.
    private enum Field: String, CaseIterable {
        case groups = "keychain-access-groups"
        case associated = "com.apple.developer.associated-application-identifier"
        case identifier = "application-identifier"
        case applicationGroups = "com.apple.security.application-groups"
        case further = "entitlements"
    }

    private static let textCharactersMax = 255

    /// Reads a file's contents.
    ///
    /// `resolve`: gives the path of an executable without symbolic links, or the path itself where
    /// there is none yet.
    package init(
        json: [UInt8],
        resolving resolve: (String) -> String
    ) throws(LocatedJSON.Fault) {
        let document = try LocatedJSON(json)
        guard case .object(let members) = document.value else {
            throw Self.fault(document.line, "the file should be an object: { \"programs\": { … } }")
        }
        for member in members where member.name != "programs" {
            throw Self.fault(member.line, "unknown field \"\(member.name)\"")
        }
        guard let programs = members.first else { return }
        guard case .object(let entries) = programs.value.value else {
            throw Self.fault(
                programs.value.line,
                "\"programs\" should be an object with a field for each executable"
            )
        }
        for entry in entries {
            guard entry.name.hasPrefix("/"), !entry.name.contains("\0") else {
                throw Self.fault(entry.line, "\"\(entry.name)\" should be an absolute path")
            }
            let path = ProgramPath(resolve(entry.name))
            guard self.programs[path] == nil else {
                throw Self.fault(entry.line, "\"\(entry.name)\" is the same file as one above")
            }
            self.programs[path] = try Self.program(entry)
        }
    }

    private static func fault(_ line: Int, _ sentence: String) -> LocatedJSON.Fault {
        LocatedJSON.Fault(line: line, sentence: sentence)
    }

    private static func program(
        _ entry: LocatedJSON.Member
    ) throws(LocatedJSON.Fault) -> ProgramAccess {
        guard case .object(let fields) = entry.value.value else {
            throw fault(entry.value.line, "\"\(entry.name)\" should be an object")
        }
        var texts: [Field: [String]] = [:]
        for field in fields {
            guard let known = Field(rawValue: field.name) else {
                throw fault(field.line, "unknown field \"\(field.name)\" of \"\(entry.name)\"")
            }
            texts[known] = try Self.texts(field, isOne: known == .identifier)
        }
        var access = ProgramAccess(accessGroups: [])
        access.entitlements = Set(texts[.further] ?? [])
        // As on Apple's systems, an app clip has no part in its family's groups.
        if access.entitlements.contains(Entitlement.appClip) {
            texts[.applicationGroups] = nil
        }
        for field in Field.allCases where field != .further {
            for group in texts[field] ?? [] where !access.accessGroups.contains(group) {
                access.accessGroups.append(group)
            }
        }
        return access
    }

    private static func texts(
        _ field: LocatedJSON.Member,
        isOne: Bool
    ) throws(LocatedJSON.Fault) -> [String] {
        let values: [LocatedJSON]
        switch (field.value.value, isOne) {
        case (.array(let elements), false): values = elements
        case (.string, true): values = [field.value]
        default:
            let kind = isOne ? "a text in quotes" : "a list of texts: [\"…\"]"
            throw fault(field.value.line, "\"\(field.name)\" should be \(kind)")
        }
        var texts: [String] = []
        for value in values {
            guard case .string(let text) = value.value else {
                throw fault(value.line, "\"\(field.name)\" should hold texts in quotes only")
            }
            guard !text.isEmpty, text.count <= textCharactersMax, !text.contains("\0") else {
                throw fault(
                    value.line,
                    "a text of \"\(field.name)\" should have 1 to \(textCharactersMax) characters"
                )
            }
            guard !texts.contains(text) else {
                throw fault(value.line, "\"\(text)\" is twice in \"\(field.name)\"")
            }
            texts.append(text)
        }
        return texts
    }
}

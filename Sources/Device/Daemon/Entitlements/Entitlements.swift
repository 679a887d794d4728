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

    init(_ path: String) { bytes = Array(path.utf8) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The file of this name in the same directory.
    func beside(_ name: String) -> ProgramPath {
        let end = bytes.lastIndex(of: UInt8(ascii: "/")) ?? bytes.startIndex
        return ProgramPath(String(decoding: bytes[..<end], as: UTF8.self) + "/" + name)
    }
}

// MARK: The file's contents

extension Entitlements {
    private struct File: Decodable {
        var programs: AgentDictionary?
    }

    /// The entry of a program, whose fields are named as Apple names the entitlements.
    fileprivate struct Program: Decodable {
        var groups: [String]?
        var associated: [String]?
        var identifier: String?
        var applicationGroups: [String]?
        var entitlements: [String]?
        var store: String?

        enum CodingKeys: String, CodingKey {
            case groups = "keychain-access-groups"
            case associated = "com.apple.developer.associated-application-identifier"
            case identifier = "application-identifier"
            case applicationGroups = "com.apple.security.application-groups"
            case entitlements
            case store = "com.apple.developer.ubiquity-kvstore-identifier"
        }
    }

    fileprivate static let textCharactersMax = 255

    /// Reads a file's contents.
    ///
    /// `resolve`: gives the path of an executable without symbolic links, or the path itself where
    /// there is none yet.
    package init(json: [UInt8], resolving resolve: (String) -> String) throws(EntitlementsError) {
        do {
            let file = try RPCJSON.file(json, as: File.self)
            for entry in file.programs?.entries ?? [] {
                let name = entry.key
                guard name.hasPrefix("/"), !name.contains("\0") else {
                    throw AgentMismatch("\"\(name)\" should be an absolute path")
                }
                let path = ProgramPath(resolve(name))
                guard programs[path] == nil else {
                    throw AgentMismatch("\"\(name)\" is the same file as another entry")
                }
                programs[path] = try AgentMismatch.inside("programs") {
                    try AgentMismatch.inside(name) {
                        try entry.value.strictly(Program.self).access()
                    }
                }
            }
        } catch let error as RPCError {
            // Its sentence goes on, and ends later.
            throw EntitlementsError(sentence: String(error.sentence.dropLast()))
        } catch let error as AgentMismatch {
            throw EntitlementsError(sentence: error.sentence)
        } catch {
            throw EntitlementsError(sentence: "it cannot be read")
        }
    }
}

extension Entitlements.Program {
    func access() throws -> ProgramAccess {
        var access = ProgramAccess(accessGroups: [])
        access.entitlements = Set(try Self.checked(entitlements ?? [], .entitlements))
        access.keyValueStore = try store.map { text in
            guard StoreIdentifier(named: try Self.checked([text], .store)[0]) != nil else {
                throw AgentMismatch(
                    "\"\(text)\" is no name for a key-value store: 1 to"
                        + " \(StoreIdentifier.bytesMax) bytes, no control characters, and no"
                        + " \"\(StoreIdentifier.executablePrefix)\" at its beginning"
                )
            }
            return text
        }
        // In the order in which they count.
        var groups = try Self.checked(groups ?? [], .groups)
        groups += try Self.checked(associated ?? [], .associated)
        groups += try Self.checked(identifier.map { [$0] } ?? [], .identifier)
        let shared = try Self.checked(applicationGroups ?? [], .applicationGroups)
        // As on Apple's systems, an app clip does not get its application groups.
        if !access.entitlements.contains(Entitlement.appClip) { groups += shared }
        for group in groups where !access.accessGroups.contains(group) {
            access.accessGroups.append(group)
        }
        return access
    }

    private static func checked(_ texts: [String], _ field: CodingKeys) throws -> [String] {
        try AgentMismatch.inside(field.stringValue) {
            for (index, text) in texts.enumerated() {
                guard !text.isEmpty, text.count <= Entitlements.textCharactersMax,
                    !text.contains("\0")
                else {
                    throw AgentMismatch(
                        "a text should have 1 to \(Entitlements.textCharactersMax) characters"
                    )
                }
                guard !texts[..<index].contains(text) else {
                    throw AgentMismatch("\"\(text)\" is there twice")
                }
            }
            return texts
        }
    }
}

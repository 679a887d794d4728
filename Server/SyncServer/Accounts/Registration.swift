package import KSDigests
internal import Foundation
internal import KSFiles
internal import KSPostgreSQLStore
internal import KSWire

/// Who may make an account here.
package enum Registration: String, Sendable, CaseIterable {
    case open
    /// Anyone with a code of `sync-server invite`.
    case invite
    case closed
}

/// One-time codes, of which only hashes are kept.
///
/// Reading them reveals no code, and the command can add one while the server runs.
package struct Invitations: Sendable {
    private static let codeByteCount = 15
    private static let usedSuffix = ".used"

    private enum Place {
        /// An empty file for each, named by the code's hash; created with the first code.
        ///
        /// That of a used one has the suffix ``usedSuffix``.
        case directory(String)
        case database(PostgreSQLStore)
    }

    private let place: Place

    package init(directory: String) {
        place = .directory(directory)
    }

    init(database: PostgreSQLStore) {
        place = .database(database)
    }

    package func make(random: any RandomSource) throws -> String {
        var code = ""
        // As the argument of a command it must not look like an option.
        while code.isEmpty || code.hasPrefix("-") {
            code = Base64URL.encode(random.bytes(Self.codeByteCount))
        }
        try putBack(code)
        return code
    }

    /// Whether the code is valid and unused.
    func has(_ code: String) throws -> Bool {
        switch place {
        case .directory(let directory): unsafe access(path(of: code, in: directory), F_OK) == 0
        case .database(let database): try database.hasInvitation(codeHash: Self.hash(code))
        }
    }

    /// Whether the code was valid, and was used or revoked.
    package func wasUsed(_ code: String) throws -> Bool {
        switch place {
        case .directory(let directory):
            unsafe access(path(of: code, in: directory) + Self.usedSuffix, F_OK) == 0
        case .database(let database):
            try database.wasInvitationUsed(codeHash: Self.hash(code))
        }
    }

    /// The hashes of the unused codes.
    func codeHashes() throws -> [[UInt8]] {
        switch place {
        case .directory(let directory):
            try Self.names(in: directory).compactMap { Base64URL.decode($0.name) }
        case .database(let database): try database.invitations()
        }
    }

    /// Marks the code as used; false if there is no such code, or it was used meanwhile.
    func take(_ code: String) throws -> Bool {
        switch place {
        case .directory(let directory): Self.markUsed(path(of: code, in: directory))
        case .database(let database): try database.useInvitation(codeHash: Self.hash(code))
        }
    }

    /// Makes a code valid again whose account was not created.
    func putBack(_ code: String) throws { try add(codeHash: Self.hash(code)) }

    /// Makes the code of this hash valid.
    func add(codeHash: [UInt8]) throws {
        switch place {
        case .directory(let directory):
            try DataDirectory(path: directory).create()
            let path = directory + "/" + Base64URL.encode(codeHash)
            try ReplacementFile.write([], to: path)
            _ = unsafe unlink(path + Self.usedSuffix)
        case .database(let database): try database.addInvitation(codeHash: codeHash)
        }
    }

    /// The unused ones: the first digits of each code's hash, and when it was made.
    ///
    /// The time is nil if it is unknown.
    func all() throws -> [(number: String, seconds: UInt64?)] {
        switch place {
        case .directory(let directory):
            try Self.names(in: directory).map { name, number in
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: directory + "/" + name
                )
                let time = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
                return (number, UInt64(max(0, time)))
            }.sorted { $0.1 ?? 0 < $1.1 ?? 0 }
        case .database(let database):
            try database.invitations().map { (Shown.id($0), nil) }
        }
    }

    /// Makes the invitation of a number void; false if there is not exactly one.
    func remove(number: String) throws -> Bool {
        switch place {
        case .directory(let directory):
            let found = try Self.names(in: directory).filter { $0.number == number.lowercased() }
            guard let name = found.first?.name, found.count == 1 else { return false }
            return Self.markUsed(directory + "/" + name)
        case .database(let database):
            let found = try database.invitations().filter { Shown.id($0) == number.lowercased() }
            guard let hash = found.first, found.count == 1 else { return false }
            return try database.useInvitation(codeHash: hash)
        }
    }

    /// The files' names, which are the hashes of the codes, and the first digits of each.
    private static func names(in directory: String) throws -> [(name: String, number: String)] {
        // The first invitation makes the directory.
        guard FileManager.default.fileExists(atPath: directory) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: directory).compactMap { name in
            guard let hash = Base64URL.decode(name), hash.count == SHA256.byteCount else {
                return nil
            }
            return (name, Shown.id(hash))
        }
    }

    private static func markUsed(_ path: String) -> Bool {
        unsafe rename(path, path + usedSuffix) == 0
    }

    /// The number of a code, by which the operator can revoke it.
    static func number(of code: String) -> String { Shown.id(hash(code)) }

    private static func hash(_ code: String) -> [UInt8] { SHA256.hash(Array(code.utf8)) }

    private func path(of code: String, in directory: String) -> String {
        directory + "/" + Base64URL.encode(Self.hash(code))
    }
}

internal import Foundation
internal import KSFiles
internal import KSRPC

/// Which keychains are searched, and which one takes new items: the home's `keychains.json`.
package struct KeychainSearchList: Codable, Equatable {
    /// Paths, in their order; the home's own path stands for the login keychain.
    package var search: [String]
    /// Nil when the user has unset it.
    package var defaultKeychain: String?

    package init(search: [String], defaultKeychain: String? = nil) {
        self.search = search
        self.defaultKeychain = defaultKeychain
    }

    private enum CodingKeys: String, CodingKey {
        case search
        case defaultKeychain = "default"
    }

    private static func path(_ home: String) -> String { home + "/keychains.json" }

    /// The list of a home; the login keychain alone if there is no list.
    package static func load(home: String) throws(KeychainFileError) -> KeychainSearchList {
        let whole = KeychainSearchList(search: [home], defaultKeychain: home)
        guard let bytes = FileManager.default.contents(atPath: path(home)) else {
            guard FileManager.default.fileExists(atPath: path(home)) else { return whole }
            throw .unavailable(errno: EACCES)
        }
        do {
            return try RPCJSON.file([UInt8](bytes), as: Self.self)
        } catch {
            // The file is invalid, perhaps after an edit by hand, so its meaning is unknown.
            throw .listDamaged(fault: error.sentence)
        }
    }

    /// Replaces the stored list; after a crash, either the old or the new one is there.
    package func save(home: String) throws(KeychainFileError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            let bytes = [UInt8](try encoder.encode(self))
            try ReplacementFile.write(bytes, to: Self.path(home))
        } catch let error as FileError {
            throw KeychainFileError(error)
        } catch {
            throw .unavailable(errno: EIO)
        }
    }

    /// Removes deleted keychains; the login keychain replaces a deleted default.
    package mutating func forget(home: String, _ isGone: (String) -> Bool) {
        search.removeAll(where: isGone)
        if let path = defaultKeychain, isGone(path) { defaultKeychain = home }
    }
}

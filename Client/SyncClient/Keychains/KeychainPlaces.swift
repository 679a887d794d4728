internal import Foundation

/// One of a user's keychains.
enum KeychainPlace: Hashable, Sendable {
    /// The login keychain: the home's own, the only one that is synchronized.
    case home
    /// A further one, by the absolute path of its file.
    case file(String)
}

/// Which keychain a name means.
struct KeychainPlaces: Sendable {
    let homePath: String

    /// Where keychains lie that are named without a path.
    var folder: String { homePath + "/keychains" }

    private static let homeNames = ["login", "login.keychain", "login.keychain-db"]
    private static let nameBytesMax = 200
    /// Where keychains lie on macOS, and how their files end there; scripts write both out.
    private static let macFolder = "/Library/Keychains/"
    private static let macEnding = "-db"

    /// A name is a path when it has a slash, else that of a file in the home's folder.
    func place(of name: String) throws(KeychainFileError) -> KeychainPlace {
        guard !name.isEmpty, !name.utf8.contains(0), name.utf8.count <= 4000 else {
            throw .badName
        }
        if name == homePath || Self.homeNames.contains(name) { return .home }
        if let folder = name.range(of: Self.macFolder, options: .backwards),
            !name[folder.upperBound...].isEmpty, !name[folder.upperBound...].contains("/")
        {
            return try place(of: String(name[folder.upperBound...]))
        }
        guard !name.contains("/") else {
            // Programs that have another working directory cannot mean the same by it.
            guard name.hasPrefix("/"), !name.hasSuffix("/") else { throw .badName }
            return .file(name)
        }
        guard name != ".", name != "..", name.utf8.count <= Self.nameBytesMax else {
            throw .badName
        }
        let isMacName = name.hasSuffix(Self.macEnding) && name != Self.macEnding
        let plain = isMacName ? String(name.dropLast(Self.macEnding.count)) : name
        return .file(folder + "/" + plain)
    }

    /// What is shown for it.
    func path(of place: KeychainPlace) -> String {
        switch place {
        case .home: homePath
        case .file(let path): path
        }
    }
}

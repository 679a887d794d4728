internal import Glibc
internal import KSKeychain

/// One of a user's keychains.
package enum KeychainPlace: Hashable, Sendable {
    /// The login keychain: the home's own, the only one that is synchronized.
    case home
    /// A further one, by the absolute path of its file.
    case file(String)
}

/// Finds the keychain that a name means.
package struct KeychainPlaces: Sendable {
    package let homePath: String
    /// The user's own folder; nil if it is unknown.
    package var userFolder: String?

    package init(homePath: String, userFolder: String? = nil) {
        self.homePath = homePath
        self.userFolder = userFolder
    }

    /// The folder of keychains that are named without a path.
    package var folder: String { homePath + "/keychains" }

    private static let homeNames = ["login", "login.keychain", "login.keychain-db"]
    /// The name under which the login keychain is shown, and under which a link to it exists.
    private static let loginFile = "login.keychain-db"
    private static let nameBytesMax = 200
    /// The folder of keychains and the ending of their files on macOS, which scripts spell out.
    private static let macFolder = "/Library/Keychains"
    private static let macEnding = "-db"

    /// Finds the keychain of a name: a path if it has a slash, else a file in ``folder``.
    ///
    /// There and in `~/Library/Keychains`, a file is found with or without the ending `-db`, and
    /// created with it. A file that the user put there may lack the ending.
    package func place(of name: String) throws(KeychainFileError) -> KeychainPlace {
        guard !name.isEmpty, !name.utf8.contains(0), name.utf8.count <= 4000 else { throw .badName }
        if name == homePath || Self.homeNames.contains(name) { return .home }
        guard let (above, last) = Self.parts(of: name) else {
            return .file(try file(named: name, in: [folder]))
        }
        // A relative path means another file in each working directory.
        guard name.utf8.first == Self.slash, !last.isEmpty else { throw .badName }
        let isOwn = leadsToFolder(above)
        guard isOwn || Self.isMacFolder(above) else { return .file(name) }
        if Self.homeNames.contains(last) { return .home }
        // A keychain that was created by its name alone is in the home's folder, even if macOS's
        // folder exists here and is another one.
        return .file(try file(named: last, in: isOwn ? [folder] : [above, folder]))
    }

    /// The name in the one form in which lists keep it; an invalid name stays unchanged.
    package func path(of name: String) -> String {
        do {
            return path(of: try place(of: name))
        } catch {
            return name
        }
    }

    /// The path that stands for a keychain in the search list.
    package func path(of place: KeychainPlace) -> String {
        switch place {
        case .home: homePath
        case .file(let path): path
        }
    }

    /// The path that users see: below `~/Library/Keychains` if that leads to the home's folder.
    package func shownPath(of place: KeychainPlace) -> String {
        switch place {
        case .home: shownFolder + "/" + Self.loginFile
        case .file(let path):
            path.utf8.starts(with: (folder + "/").utf8)
                ? shownFolder
                    + String(decoding: path.utf8.dropFirst(folder.utf8.count), as: UTF8.self)
                : path
        }
    }

    // MARK: Names

    private static let slash = UInt8(ascii: "/")

    /// The folder of a path, and the name in it; by bytes, as the system reads it.
    private static func parts(of path: String) -> (above: String, last: String)? {
        guard let end = path.utf8.lastIndex(of: slash) else { return nil }
        return (String(path[..<end]), String(path[path.utf8.index(after: end)...]))
    }

    /// Whether macOS would keep a user's keychains in this folder; false for the system's folders.
    private static func isMacFolder(_ path: String) -> Bool {
        guard path.utf8.first == slash, path.hasSuffix(macFolder) else { return false }
        return !["", "/", "/System"].contains(String(path.dropLast(macFolder.count)))
    }

    private func file(
        named name: String,
        in folders: [String]
    ) throws(KeychainFileError) -> String {
        guard name != ".", name != "..", name.utf8.count <= Self.nameBytesMax else {
            throw .badName
        }
        let hasEnding = name.hasSuffix(Self.macEnding) && name != Self.macEnding
        let bare = hasEnding ? String(name.dropLast(Self.macEnding.count)) : name
        let paths = folders.flatMap { ["\($0)/\(bare)\(Self.macEnding)", "\($0)/\(bare)"] }
        return paths.first(where: Self.exists) ?? paths[0]
    }

    // MARK: On the disk

    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    private func leadsToFolder(_ path: String) -> Bool {
        if path == folder { return true }
        guard let own = FileState(path: folder) else { return false }
        return FileState(path: path)?.isSameFile(as: own) ?? false
    }

    private var shownFolder: String {
        guard let userFolder else { return folder }
        let named = userFolder + Self.macFolder
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(named, &target, target.count)
        guard count > 0, target[..<count].elementsEqual(folder.utf8.map { CChar(bitPattern: $0) })
        else { return folder }
        return named
    }

    /// Makes ``folder``, with a link to the login keychain in it.
    ///
    /// Errors are ignored here: a call that needs the folder reports them.
    package func makeFolder() {
        unsafe mkdir(folder, 0o700)
        unsafe symlink("../keychain.db", folder + "/" + Self.loginFile)
    }

    /// Makes the folder of a new keychain, if it is ``folder`` or a `~/Library/Keychains`.
    package func makeFolder(of name: String) {
        makeFolder()
        if let (above, _) = Self.parts(of: name) { nameFolder(above) }
    }

    /// Makes the home's folder available under its macOS name: a symbolic link, if the name is free
    /// and the folder above is the user's.
    package func nameFolder(_ path: String) {
        guard Self.isMacFolder(path), !Self.exists(path) else { return }
        let library = String(path.dropLast("/Keychains".count))
        guard let user = Self.parts(of: library)?.above, Self.isUsers(user) else { return }
        unsafe mkdir(library, 0o700)
        guard Self.isUsers(library) else { return }
        makeFolder()
        unsafe symlink(folder, path)
    }

    private static func isUsers(_ folder: String) -> Bool {
        var status = stat()
        return unsafe stat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            && status.st_uid == getuid()
    }
}

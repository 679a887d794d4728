internal import Foundation
internal import KSFiles

/// The directory that holds all of a server: store, certificate, token secret,
/// invitations, and the lock.
package struct DataDirectory: Sendable {
    let path: String

    package init(path: String) {
        self.path = path
    }

    var storePath: String { path + "/store.sqlite" }
    var certificatePath: String { path + "/certificate.pem" }
    var keyPath: String { path + "/certificate.key" }
    /// The key that `next-pin` has made, until `next-pin --use` makes it the server's key.
    var nextKeyPath: String { path + "/certificate.next.key" }
    /// The key that the server had before `next-pin --use`.
    var oldKeyPath: String { path + "/certificate.old.key" }
    /// The secret that authenticates tokens and challenges; no backup contains it.
    package var secretPath: String { path + "/token.secret" }
    /// When `backup` last wrote a backup, in seconds since 1970.
    var lastBackupPath: String { path + "/last-backup" }
    var invitationsPath: String { path + "/invitations" }
    fileprivate var lockPath: String { path + "/lock" }

    /// Makes the directory, which only this user may read, unless it exists.
    func create() throws(FileError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw .system(errno: errno)
        }
    }

    /// Prepares the directory for the copy of a store: nothing of another purpose may be in it.
    func createForCopy() throws {
        let files = FileManager.default
        // With a mistyped path the copy would end up where nobody looks for it.
        let parent = URL(filePath: path).deletingLastPathComponent().path
        guard files.fileExists(atPath: parent) else {
            throw ExitReason(
                .usage,
                "There is no directory \(parent): make it first, or name another data directory."
            )
        }
        try create()
        let strange = names.first { name in
            !Self.beginnings.contains { name.drop { $0 == "." }.hasPrefix($0) }
        }
        guard let strange else { return }
        throw ExitReason(
            .refused,
            "The directory \(path) has files of something else, such as \(strange): name an empty"
                + " data directory."
        )
    }

    /// How the names of all files of a data directory begin, and that of a new file system.
    private static let beginnings = [
        "store.sqlite", "certificate.", "token.secret", "invitations", "last-backup", "lock",
        "lost+found",
    ]

    /// The names of all files that are in the directory, in their order.
    var names: [String] {
        // A directory that cannot be read fails where its files are used.
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// Refuses a command of another user than the directory's, whose server could not read the
    /// files that it would leave.
    func checkOwner(isForSuperuser: Bool) throws(ExitReason) {
        // A directory that is not there is made, or missed, later.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let attributes, let owner = attributes[.ownerAccountID] as? NSNumber,
            owner.uint32Value != geteuid(), geteuid() != 0 || !isForSuperuser
        else { return }
        let name = attributes[.ownerAccountName] as? String ?? owner.stringValue
        throw ExitReason(
            .refused,
            "The data directory \(path) belongs to the user \(name): run this command as that user,"
                + " such as with sudo -u \(name)."
        )
    }

    /// When a backup was last written; nil if that is unknown.
    var lastBackupSeconds: UInt64? {
        // There is no file before the first backup.
        let text = try? String(contentsOfFile: lastBackupPath, encoding: .utf8)
        return text.flatMap { UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }

    var exists: Bool {
        var isDirectory: ObjCBool = false
        return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
            && isDirectory.boolValue
    }
}

/// An exclusive lock on a data directory, held until this object is freed.
///
/// The kernel releases it when the process ends, even by a crash.
final class DataDirectoryLock: Sendable {
    private let descriptor: Int32

    init(_ directory: DataDirectory) throws {
        descriptor = unsafe open(directory.lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError.system(errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            let sentence = "Another sync-server is using \(directory.path); stop it first."
            throw ExitReason(.refused, sentence)
        }
    }

    deinit {
        close(descriptor)
    }
}

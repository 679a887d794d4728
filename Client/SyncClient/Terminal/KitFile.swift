internal import KSDaemon
internal import KSAgent
internal import KSFiles
internal import Glibc

/// The file with the Account Key, which the user keeps in a safe place.
struct KitFile: ~Copyable {
    /// Many times the size of a kit.
    private static let bytesMax = 4096

    private let path: String
    private let file: Int32
    /// What an interrupted sign-up has left: nothing, the beginning of this kit, or another kit.
    private let before: [UInt8]
    private let isNew: Bool
    private var isWritten = false

    /// Makes the file, readable by its user alone, before there is an Account Key to lose.
    ///
    /// It accepts an empty file or a kit, which an interrupted sign-up leaves.
    /// - Throws: when any other file has this name.
    init(path: String) throws(CommandFailure) {
        let (file, isNew) = try Self.open(path)
        let before = isNew ? [] : Self.contents(of: file)
        guard isNew || Self.mayBeKit(file, before) else {
            close(file)
            throw Self.exists(path)
        }
        self.path = path
        self.file = file
        self.before = before
        self.isNew = isNew
    }

    private static func open(_ path: String) throws(CommandFailure) -> (file: Int32, isNew: Bool) {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let new = unsafe Glibc.open(path, flags | O_CREAT | O_EXCL, 0o600)
        if new >= 0 { return (new, true) }
        guard errno == EEXIST else {
            throw CommandFailure.usage("The kit cannot be written to \(path): name another place.")
        }
        let file = unsafe Glibc.open(path, flags)
        // It may be a directory, or another user's file.
        guard file >= 0 else { throw exists(path) }
        return (file, false)
    }

    /// Writes the kit; its bytes and its name are on disk when this returns.
    ///
    /// - Parameters:
    ///   - text: what a reader of the kit needs.
    ///   - discardsUnsent: discards the sign-up with this Account Key if it was never sent, and
    ///     says whether it did.
    /// - Throws: when another kit has this name, unless it is void.
    mutating func write(
        _ text: String,
        discardsUnsent: (_ accountKey: String) -> Bool
    ) throws(CommandFailure) {
        let bytes = Array(text.utf8)
        if !bytes.starts(with: before) {
            // Another key belongs to another sign-up, which may have made an account.
            guard let other = Self.accountKey(of: before), discardsUnsent(other),
                ftruncate(file, 0) == 0
            else { throw Self.exists(path) }
        }
        guard isNew || fchmod(file, 0o600) == 0 else { throw Self.exists(path) }
        do throws(FileError) {
            let count = unsafe pwrite(file, bytes, bytes.count, 0)
            guard count == bytes.count, fsync(file) == 0 else { throw .system(errno: errno) }
            try Paths.synchronizeFolder(of: path)
        } catch {
            let reason = AgentError.words(errno: error.number)
            throw CommandFailure.diskTrouble(
                "The kit could not be written to \(path) (\(reason)), and no account was made: name"
                    + " another place."
            )
        }
        isWritten = true
    }

    /// Removes a kit for which there is no account.
    func remove() {
        unsafe unlink(path)
    }

    deinit {
        if !isWritten, isNew { unsafe unlink(path) }
        close(file)
    }

    static func exists(_ path: String) -> CommandFailure {
        CommandFailure.usage("There is a file \(path) already: name another one for the kit.")
    }

    /// Empty if the file cannot be read; `mayBeKit` refuses such a file.
    private static func contents(of file: Int32) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: bytesMax)
        let count = unsafe pread(file, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(0, count)))
    }

    private static func mayBeKit(_ file: Int32, _ bytes: [UInt8]) -> Bool {
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size == bytes.count
        else { return false }
        let title = Array(KitContents.title.utf8)
        return bytes.starts(with: title) || title.starts(with: bytes)
    }

    /// The Account Key of a kit; nil for anything else, such as two kits or a kit with notes.
    private static func accountKey(of bytes: [UInt8]) -> String? {
        // A file that cannot be read is not a kit.
        guard let kit = try? KitContents(reading: bytes, of: ""),
            kit.text.utf8.elementsEqual(bytes)
        else { return nil }
        return kit.accountKey
    }
}

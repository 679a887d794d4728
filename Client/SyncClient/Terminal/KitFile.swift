internal import Glibc

/// The file with the Account Key, which the user keeps in a safe place.
struct KitFile: ~Copyable {
    private let path: String
    private let file: Int32
    private var isWritten = false

    /// Makes the file, for its user alone, before there is an Account Key that could get lost.
    ///
    /// - Throws: when there is a file of this name: an older kit must not be overwritten.
    init(path: String) throws(CommandFailure) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let file = unsafe open(path, flags, 0o600)
        guard file >= 0 else {
            throw CommandFailure(
                .usage,
                errno == EEXIST
                    ? "There is a file \(path) already: name another one for the kit."
                    : "The kit cannot be written to \(path): name another place."
            )
        }
        self.path = path
        self.file = file
    }

    /// Writes the kit; durable when it returns.
    mutating func write(_ text: String) throws(CommandFailure) {
        let bytes = Array(text.utf8)
        let count = unsafe Glibc.write(file, bytes, bytes.count)
        // On a full disk the key is still on the screen.
        isWritten = true
        guard count == bytes.count, fsync(file) == 0 else {
            throw CommandFailure(
                .diskTrouble,
                "The kit could not be written to \(path): write the Account Key down by hand."
            )
        }
    }

    deinit {
        close(file)
        if !isWritten { unsafe unlink(path) }
    }

    static func text(account: String, server: String, accountKey: String) -> String {
        """
        Keychain Sync: the key to your account. Print it or keep it in a safe place.

        Account      \(account)
        Server       \(server)
        Account Key  \(accountKey)

        A new device needs the account's name, your password and this Account Key. Nobody else has
        it, and nobody can replace it. The password is not in this file.

        """
    }
}

internal import ArgumentParser
internal import KSMoving

/// What opens the encrypted file of another program.
struct FilePasswordOptions: ParsableArguments {
    @Option(
        help: """
            A file with the password of an encrypted file; - for standard input. Without it the \
            command asks.
            """
    )
    var passwordFile: String?

    @Option(help: "The key file of an encrypted file, beside its password or alone.")
    var keyFile: String?

    /// A key file is some bytes or a short text; any file may be one.
    private static let keyFileBytesMax = 64 << 20

    /// The file with what opens it as far as the options give it.
    func source(_ bytes: [UInt8], path: String) throws -> SourceFile {
        SourceFile(
            bytes,
            name: path == "-" ? "" : path.split(separator: "/").last.map(String.init) ?? "",
            password: try passwordFile.map {
                try PromptedSecret.filePassword.read(file: $0, isNew: false)
            },
            keyFile: try keyBytes()
        )
    }

    /// Refuses an option that a format to write does not take.
    func check(for format: EntryFormat) throws {
        guard format.isEncrypted || passwordFile == nil && keyFile == nil else {
            throw ValidationError(
                "The format \(format.name) is not encrypted: leave out --password-file and"
                    + " --key-file."
            )
        }
        guard format.takesKeyFile || keyFile == nil else {
            throw ValidationError(MovingError.noKeyFile(format: format.name).sentence)
        }
    }

    /// What the new file of a format is made with; asks for a new password if it is encrypted.
    func target(_ format: EntryFormat, time: Int64) throws -> TargetFile {
        guard format.isEncrypted else { return TargetFile(time: time) }
        let keyFile = try keyBytes()
        let password = try PromptedSecret.filePassword.read(file: passwordFile, isNew: true)
        return TargetFile(time: time, password: password, keyFile: keyFile)
    }

    private func keyBytes() throws -> [UInt8]? {
        try keyFile.map { try FileInput.read($0, bytesMax: Self.keyFileBytesMax) }
    }
}

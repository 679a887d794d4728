internal import KSAgent
internal import KSDaemon
internal import KSMoving
internal import KSPassFolders
internal import KSRunning
internal import KSSecretService

/// What an import can read beside files: a folder of `pass`, and a running Secret Service.
enum ImportSources {
    static let formats: Set = [PassEntries.formatName, SecretServiceEntries.formatName]

    /// Reads the source that is no file.
    ///
    /// - Returns: nil for a file.
    static func read(_ path: String, format: String?) throws -> ReadEntries? {
        if path == SecretServiceEntries.formatName {
            guard format == nil || format == SecretServiceEntries.formatName else {
                throw CommandFailure(MovingError.otherFormat(format ?? ""))
            }
            return try readService()
        }
        guard PassFolder.isFolder(path) else {
            guard format.map(formats.contains) != true else {
                throw CommandFailure.usage(
                    format == PassEntries.formatName
                        ? "The format pass is a folder, such as ~/.password-store: name one."
                        : "Give \(SecretServiceEntries.formatName) in place of a file."
                )
            }
            return nil
        }
        return try readFolder(PassFolder(path), format: format)
    }

    private static func readFolder(_ folder: PassFolder, format: String?) throws -> ReadEntries {
        guard folder.isPass || format == PassEntries.formatName else {
            throw CommandFailure.usage(
                "This folder is not a store of pass, since it has no .gpg-id: name a file, or give"
                    + " --format pass for a part of one."
            )
        }
        guard format == nil || format == PassEntries.formatName else {
            throw CommandFailure(MovingError.otherFormat(format ?? ""))
        }
        let line = ProgressLine()
        defer { line.clear() }
        do throws(RunError) {
            return try folder.read { done, total in show(line, done, total, "Decrypting files") }
        } catch {
            throw CommandFailure(
                code: .importFailed,
                sentence: "The files cannot be decrypted: \(error); gpg is in the package gnupg."
            )
        }
    }

    private static func readService() throws -> ReadEntries {
        let line = ProgressLine()
        defer { line.clear() }
        do throws(SecretServiceError) {
            return try SecretService().read { done, total in
                show(line, done, total, "Reading items")
            }
        } catch {
            throw CommandFailure(code: .importFailed, sentence: error.sentence)
        }
    }

    private static func show(_ line: ProgressLine, _ done: Int, _ total: Int, _ text: String) {
        line.show(AgentProgress(done: UInt64(done), total: UInt64(total), text: text))
    }
}

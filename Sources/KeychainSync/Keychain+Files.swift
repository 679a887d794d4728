internal import KSAgent
public import Foundation

/// When a protected file can be read.
///
/// It can be sealed whenever it could be read, and as ``completeUnlessOpen`` at any time.
public enum FileProtection: String, Sendable, CaseIterable {
    /// While the device is unlocked.
    case complete
    /// While the device is unlocked; what comes in while it is locked can be sealed all the same.
    case completeUnlessOpen = "unless-open"
    /// From the first unlock on, since the daemon's start.
    case completeUntilFirstUnlock = "until-first-unlock"
    /// At any time, on this device alone.
    case none
}

extension Keychain {
    /// Seals a file, so that only this device can read it, and only when it may.
    ///
    /// It is the daemon that does it: no key comes into this program.
    ///
    /// ```swift
    /// try await keychain.protect(file, as: .complete)
    /// let text = String(decoding: try await keychain.contents(ofProtected: file), as: UTF8.self)
    /// ```
    ///
    /// - Parameters:
    ///   - file: what is to be sealed.
    ///   - level: when it can be read.
    ///   - output: where to put the sealed file; by default it takes the place of the file.
    /// - Throws: ``KeychainError/interactionNotAllowed`` while the device is locked,
    ///   ``KeychainError/inputOutput`` when the file cannot be read or written.
    public func protect(
        _ file: URL,
        as level: FileProtection,
        to output: URL? = nil
    ) async throws(KeychainError) {
        let call = ProtectFile(
            path: Self.path(file),
            output: output.map(Self.path),
            class: level.rawValue
        )
        _ = try await fileAnswer(to: call)
    }

    /// Opens a file that was sealed.
    ///
    /// - Parameters:
    ///   - file: the sealed file.
    ///   - output: where to put its contents; by default they take its place.
    /// - Throws: ``KeychainError/interactionNotAllowed`` while it must not be read,
    ///   ``KeychainError/decode`` for what this device has not sealed, or was changed.
    public func unprotect(_ file: URL, to output: URL? = nil) async throws(KeychainError) {
        let call = UnprotectFile(path: Self.path(file), output: output.map(Self.path))
        _ = try await fileAnswer(to: call)
    }

    /// What a sealed file holds, which stays sealed; at most 4 MiB.
    ///
    /// - Parameter file: the sealed file.
    /// - Returns: its contents.
    /// - Throws: what ``unprotect(_:to:)`` throws.
    public func contents(ofProtected file: URL) async throws(KeychainError) -> Data {
        Data(try await fileAnswer(to: ReadProtectedFile(path: Self.path(file))).contents)
    }

    /// The path as the daemon, with another working directory, has to hear it.
    private static func path(_ file: URL) -> String { file.standardizedFileURL.path }

    /// The daemon tells what is wrong with files as to commands, by exit codes.
    private func fileAnswer<Call: AgentCall>(
        to call: Call
    ) async throws(KeychainError) -> Call.Answer {
        do {
            return try await answer(to: call)
        } catch {
            throw switch error.status {
            case 64: .parameter
            case 74: .inputOutput
            case 75: .interactionNotAllowed
            case 1...: .decode
            default: error
            }
        }
    }
}

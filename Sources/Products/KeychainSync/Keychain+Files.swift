internal import KSAgent
public import Foundation

/// When a protected file can be read.
///
/// A file can be sealed whenever it could be read; as ``completeUnlessOpen``, at any time.
public enum FileProtection: Sendable, CaseIterable {
    /// While the device is unlocked.
    case complete
    /// While the device is unlocked; files can be sealed even while it is locked.
    case completeUnlessOpen
    /// From the first unlock after the daemon's start.
    case completeUntilFirstUnlock
    /// At any time, on this device alone.
    case none

    fileprivate var level: ProtectionLevel {
        switch self {
        case .complete: .complete
        case .completeUnlessOpen: .unlessOpen
        case .completeUntilFirstUnlock: .untilFirstUnlock
        case .none: .none
        }
    }
}

extension Keychain {
    /// Seals a file, so that only this device can read it, and only when its level allows it.
    ///
    /// The daemon seals the file: no key enters this program.
    ///
    /// ```swift
    /// try await keychain.protect(file, as: .complete)
    /// let text = String(decoding: try await keychain.contents(ofProtected: file), as: UTF8.self)
    /// ```
    ///
    /// - Parameters:
    ///   - file: the file to seal.
    ///   - level: when it can be read.
    ///   - output: where to put the sealed file; by default it replaces the file.
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
            class: level.level
        )
        _ = try await fileAnswer(to: call)
    }

    /// Opens a sealed file.
    ///
    /// - Parameters:
    ///   - file: the sealed file.
    ///   - output: where to put its contents; by default they replace the sealed file.
    /// - Throws: ``KeychainError/interactionNotAllowed`` while its level forbids reading,
    ///   ``KeychainError/decode`` if this device has not sealed it, or if it was changed.
    public func unprotect(_ file: URL, to output: URL? = nil) async throws(KeychainError) {
        let call = UnprotectFile(path: Self.path(file), output: output.map(Self.path))
        _ = try await fileAnswer(to: call)
    }

    /// The contents of a sealed file, which stays sealed; at most 4 MiB.
    ///
    /// - Parameter file: the sealed file.
    /// - Returns: its contents.
    /// - Throws: what ``unprotect(_:to:)`` throws.
    public func contents(ofProtected file: URL) async throws(KeychainError) -> Data {
        Data(try await fileAnswer(to: ReadProtectedFile(path: Self.path(file))).contents)
    }

    /// The absolute path, since the daemon has another working directory.
    private static func path(_ file: URL) -> String { file.standardizedFileURL.path }

    /// Calls the daemon, and maps its exit codes for errors of files to ``KeychainError``.
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

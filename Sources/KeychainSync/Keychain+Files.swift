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
        var arguments = Self.arguments(file, output)
        arguments["class"] = .string(level.rawValue)
        _ = try await fileAnswer(of: "file.protect", to: arguments)
    }

    /// Opens a file that was sealed.
    ///
    /// - Parameters:
    ///   - file: the sealed file.
    ///   - output: where to put its contents; by default they take its place.
    /// - Throws: ``KeychainError/interactionNotAllowed`` while it must not be read,
    ///   ``KeychainError/decode`` for what this device has not sealed, or was changed.
    public func unprotect(_ file: URL, to output: URL? = nil) async throws(KeychainError) {
        _ = try await fileAnswer(of: "file.unprotect", to: Self.arguments(file, output))
    }

    /// What a sealed file holds, which stays sealed; at most 4 MiB.
    ///
    /// - Parameter file: the sealed file.
    /// - Returns: its contents.
    /// - Throws: what ``unprotect(_:to:)`` throws.
    public func contents(ofProtected file: URL) async throws(KeychainError) -> Data {
        let answer = try await fileAnswer(of: "file.contents", to: Self.arguments(file, nil))
        guard let contents = answer.dictionary?["contents"]?.data else { throw .decode }
        return Data(contents)
    }

    /// The paths as the daemon, with another working directory, has to hear them.
    private static func arguments(_ file: URL, _ output: URL?) -> AgentDictionary {
        var arguments: AgentDictionary = ["path": .string(file.standardizedFileURL.path)]
        arguments["output"] = output.map { .string($0.standardizedFileURL.path) }
        return arguments
    }

    /// The daemon tells what is wrong with files as to commands, by exit codes.
    private func fileAnswer(
        of call: String,
        to arguments: AgentDictionary
    ) async throws(KeychainError) -> AgentValue {
        do {
            return try await answer(of: call, to: arguments, mayRepeat: call == "file.contents")
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

internal import Glibc
package import KSMoving
package import KSRunning

/// A folder of `pass`, the standard Unix password manager: files that gpg has encrypted.
///
/// gpg decrypts each; its agent asks for the passphrase. Nothing decrypted is written anywhere.
package struct PassFolder {
    private let path: String
    private let environment: [[UInt8]]

    /// Folders within one another, and files of one folder; nobody has more.
    private static let depthMax = 32
    private static let filesMax = 100_000

    /// `environment`: as `NAME=value`, for gpg.
    package init(_ path: String, environment: [[UInt8]] = Program.ownEnvironment) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
        self.environment = environment
    }

    /// Whether a path is a folder.
    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether the folder names its keys, as every folder of `pass` does.
    package var isPass: Bool { unsafe access(path + "/.gpg-id", F_OK) == 0 }

    /// Decrypts and reads all files.
    ///
    /// `report`: called before each file with how many are done, and how many there are.
    ///
    /// - Returns: the entries; a file that is not taken is named there.
    /// - Throws: ``RunError`` if there is no gpg.
    package func read(
        report: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(RunError) -> ReadEntries {
        var entries = PassEntries()
        guard let root = Self.realPath(path) else { return entries.result }
        var files: [String] = []
        collect("", depth: 0, &files)
        files.sort()
        var isRefused = false
        for (index, file) in files.enumerated() {
            report(index, files.count)
            guard !file.hasSuffix("/") else {
                entries.leaveOut(String(file.dropLast()), .linkedFolder)
                continue
            }
            let name = String(file.dropLast(4))
            // A link may lead to another file of the folder, and nowhere else.
            guard let target = Self.realPath("\(path)/\(file)"), target.hasPrefix(root + "/") else {
                entries.leaveOut(name, .outside)
                continue
            }
            guard !isRefused else {
                entries.leaveOut(name, .noPassphrase)
                continue
            }
            switch try decrypt(target) {
            case .success(let file):
                entries.add(name, file.contents, isEncrypted: file.isEncrypted)
            case .failure(let fault):
                entries.leaveOut(name, fault.why)
                // Who has said no once is not asked for each file.
                if case .noPassphrase = fault.why { isRefused = true }
            }
        }
        return entries.result
    }

    private static func realPath(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }

    /// Adds the paths of all files below a folder that end as gpg's do, and of links to folders
    /// with a slash behind.
    private func collect(_ folder: String, depth: Int, _ files: inout [String]) {
        guard depth <= Self.depthMax, let handle = unsafe opendir(path + "/" + folder) else {
            return
        }
        defer { unsafe closedir(handle) }
        var folders: [String] = []
        while let entry = unsafe readdir(handle), files.count < Self.filesMax {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            // Hidden ones are of pass and git.
            guard !name.hasPrefix(".") else { continue }
            let below = folder.isEmpty ? name : folder + "/" + name
            var status = stat()
            guard unsafe lstat(path + "/" + below, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: folders.append(below)
            case S_IFREG, S_IFLNK:
                if name.hasSuffix(".gpg") {
                    files.append(below)
                } else if Self.isFolder(path + "/" + below) {
                    files.append(below + "/")
                }
            default: break
            }
        }
        for folder in folders { collect(folder, depth: depth + 1, &files) }
    }

    // MARK: gpg

    private struct Refused: Error {
        let why: PassEntries.Fault
    }

    private struct Decrypted {
        let contents: [UInt8]
        /// gpg also takes a message that is only packed, and says nothing.
        let isEncrypted: Bool
    }

    private func decrypt(_ file: String) throws(RunError) -> Result<Decrypted, Refused> {
        let program = try Program(
            arguments: ["gpg", "--batch", "--quiet", "--status-fd", "2", "--decrypt", "--", file]
                .map { Array($0.utf8) },
            environment: environment + terminal
        )
        let captured = try program.capture(bytesMax: PassEntries.fileBytesMax)
        if captured.isCut { return .failure(Refused(why: .tooLarge)) }
        let status = String(decoding: captured.errors, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("[GNUPG:] ") }
        guard captured.end == .exited(code: 0) else {
            return .failure(Refused(why: Self.fault(status)))
        }
        let isEncrypted = status.contains { $0.hasPrefix("[GNUPG:] DECRYPTION_OKAY") }
        return .success(Decrypted(contents: captured.output, isEncrypted: isEncrypted))
    }

    /// What a pinentry on the terminal needs to know.
    private var terminal: [[UInt8]] {
        let name = Array("GPG_TTY=".utf8)
        guard !environment.contains(where: { $0.starts(with: name) }),
            let tty = unsafe ttyname(STDIN_FILENO)
        else { return [] }
        return [name + (unsafe String(cString: tty)).utf8]
    }

    /// Why gpg failed, by its status lines (doc/DETAILS of GnuPG).
    private static func fault(_ status: [Substring]) -> PassEntries.Fault {
        // GPG_ERR_CANCELED and GPG_ERR_FULLY_CANCELED, whatever part of GnuPG they are from.
        let isCanceled = status.contains { line in
            line.contains(" ERROR ")
                && line.split(separator: " ").contains { word in
                    UInt32(word).map { [99, 198].contains($0 & 0xFFFF) } ?? false
                }
        }
        if isCanceled { return .noPassphrase }
        func has(_ names: String...) -> Bool {
            status.contains { line in names.contains { line.hasPrefix("[GNUPG:] " + $0) } }
        }
        // With --quiet, gpg 2.2 says no more than whom the file is for, and that it failed.
        let isKeyMissing =
            has("NO_SECKEY") || has("ENC_TO") && !has("DECRYPTION_KEY", "DECRYPTION_INFO", "ERROR")
        return isKeyMissing ? .noSecretKey : .notDecrypted
    }
}

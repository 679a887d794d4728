internal import Foundation

/// Files of ten thousand entries: how long they take, and how much memory beside the file that is
/// read.
///
/// The same command with a file of one entry is taken off, and with it the program's start and a
/// database's key derivation.
struct MovingSpeed {
    private static let entryCount = 10_000
    private static let databaseSecondsMax = 3.0
    private static let memoryRatioMax = 3.0

    let programs: String
    let folder: String

    func measure() throws {
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try "a password".write(toFile: folder + "/password", atomically: true, encoding: .utf8)
        let (one, many) = (folder + "/one", folder + "/many")
        try table(count: 1).write(toFile: one + ".csv", atomically: true, encoding: .utf8)
        try table(count: Self.entryCount)
            .write(toFile: many + ".csv", atomically: true, encoding: .utf8)

        let imported = try difference { path in
            let home = path + ".home"
            // The benchmark is over, with or without an orderly end of its daemon.
            defer { try? Program.run(programs + "/sync-client", ["stop", "--home", home]) }
            // It starts the daemon, whose memory is not the import's.
            return try Program.use(
                programs + "/sync-client",
                ["import", path + ".csv", "--home", home]
            )
        }
        report("import of a table", imported, of: many + ".csv")

        let secret = folder + "/password"
        let written = try difference { path in
            try convert(path + ".csv", path + ".kdbx", "kdbx", ["--new-password-file", secret])
        }
        report("KDBX written", written, of: many + ".csv", secondsMax: Self.databaseSecondsMax)
        let read = try difference { path in
            let options = ["--password-file", secret]
            return try convert(path + ".kdbx", path + ".json", "keychain-sync", options)
        }
        report("KDBX read", read, of: many + ".kdbx", secondsMax: Self.databaseSecondsMax)
    }

    /// Rows as programs export them; every third has a note.
    private func table(count: Int) -> String {
        let rows = (0..<count).map { number in
            let note = number % 3 == 0 ? "The question is \(number) and its answer a word." : ""
            return "Site \(number),https://www.site\(number).example/account/login,"
                + "user.name\(number)@mail.example,pw-\(number)-4f81c0d2e7,\(note)"
        }
        return "name,url,username,password,note\n" + rows.joined(separator: "\n") + "\n"
    }

    private func convert(
        _ source: String,
        _ target: String,
        _ format: String,
        _ options: [String]
    ) throws -> Program.Use {
        try Program.use(
            programs + "/keychain",
            ["convert", source, target, "--format", format] + options
        )
    }

    private func difference(_ use: (String) throws -> Program.Use) throws -> Program.Use {
        let bare = try use(folder + "/one")
        let whole = try use(folder + "/many")
        return Program.Use(
            seconds: whole.seconds - bare.seconds,
            memoryBytes: whole.memoryBytes - bare.memoryBytes
        )
    }

    private func report(
        _ what: String,
        _ use: Program.Use,
        of path: String,
        secondsMax: Double? = nil
    ) {
        // A file that is missing has failed the program that writes it.
        let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int ?? 0
        let ratio = (10 * Double(use.memoryBytes) / Double(max(size, 1))).rounded() / 10
        let memory = verdict(isReached: ratio <= Self.memoryRatioMax)
        let time = (use.seconds * 100).rounded() / 100
        let aim = secondsMax.map { max in " (aim \(max) s: \(verdict(isReached: time <= max)))" }
        print(
            "\(what), \(Self.entryCount) entries more: \(time) s\(aim ?? ""), memory \(ratio)"
                + " times the file's \(size / 1000) kB (aim \(Self.memoryRatioMax): \(memory))"
        )
    }
}

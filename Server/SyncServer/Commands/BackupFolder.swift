/// The names of the backups in a folder, which sort by their time.
package enum BackupFolder {
    private static let prefix = "sync-server-"
    private static let suffix = ".backup"
    private static let partialSuffix = ".partial"

    /// A name for a backup of this time that no other file of the folder has.
    ///
    /// `digits`: `YYYYMMDDhhmmss` in UTC.
    package static func name(digits: String, among names: some Collection<String>) -> String {
        let time = digits.prefix(8) + "-" + digits.dropFirst(8)
        let first = prefix + time + suffix
        guard names.contains(first) else { return first }
        // Underscores sort behind the suffix's dot.
        let others = (2...).lazy.map { number in
            let digits = String(number)
            let padding = String(repeating: "0", count: max(0, 3 - digits.count))
            return prefix + time + "_" + padding + digits + suffix
        }
        return others.first { !names.contains($0) } ?? first
    }

    /// The files to remove so that this backup and the newest others are left.
    ///
    /// Only names that this program gives count. The partial file of an interrupted backup is
    /// removed like a backup of its age. If the clock was set back, older backups look newer; this
    /// one stays anyway.
    package static func removable(
        among names: some Sequence<String>,
        after written: String,
        keeping count: Int
    ) -> [String] {
        let all = names.sorted()
        let backups = all.filter { isBackup($0) && $0 != written }
        let kept = backups.suffix(count - 1)
        let oldest = min(kept.first ?? written, written)
        let partial = all.filter { name in
            name.hasSuffix(partialSuffix) && isBackup(String(name.dropLast(partialSuffix.count)))
                && name < oldest
        }
        return backups.dropLast(kept.count) + partial
    }

    private static func isBackup(_ name: String) -> Bool {
        name.wholeMatch(of: /sync-server-[0-9]{8}-[0-9]{6}(?:_[0-9]{3,})?\.backup/) != nil
    }
}

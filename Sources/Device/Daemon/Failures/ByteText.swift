internal import KSBytes

/// A number of bytes for people, rounded up to tenths of a unit.
package enum ByteText {
    private static let units = ["KiB", "MiB", "GiB", "TiB"]

    package static func text(_ bytes: Int) -> String {
        guard bytes >= 1024 else { return counted(bytes, "byte") }
        var size = Double(bytes) / 1024
        var unit = 0
        while size >= 1023.95, unit < units.count - 1 {
            size /= 1024
            unit += 1
        }
        let tenths = Int((size * 10).rounded(.up))
        return "\(tenths / 10)\(tenths % 10 == 0 ? "" : ".\(tenths % 10)") \(units[unit])"
    }
}

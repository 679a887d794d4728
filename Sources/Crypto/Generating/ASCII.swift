/// The kinds of printable ASCII characters.
enum ASCII {
    static let lower = set("a"..."z")
    static let upper = set("A"..."Z")
    static let digits = set("0"..."9")
    /// All but the space, which is easily lost at the end of a password.
    static let symbols = printable.subtracting(lower).subtracting(upper).subtracting(digits)
        .subtracting([space])
    static let printable = set(" "..."~")
    static let space = UInt8(ascii: " ")
    /// Each of them is easily mistaken for another one.
    static let lookAlikes = Set("0Oo1Il|2Z5S8B".utf8)

    private static func set(_ range: ClosedRange<UnicodeScalar>) -> Set<UInt8> {
        Set(UInt8(ascii: range.lowerBound)...UInt8(ascii: range.upperBound))
    }
}

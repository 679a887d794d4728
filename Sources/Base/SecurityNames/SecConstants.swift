/// Apple's names of classes, attributes and everything else in a query, with the strings that they
/// stand for.
///
/// Programs save the strings, and messages contain them; the names are for people and for `rpc`.
package enum SecConstants {
    package typealias Entry = (name: String, value: String)

    /// All constants, each name once; several names may stand for one string.
    package static let all: [Entry] = classes + attributes + queries + values + protocols

    /// The string that a name stands for; nil for an unknown name.
    package static func value(of name: String) -> String? {
        table[name]
    }

    private static let table = Dictionary(
        all.map { ($0.name, $0.value) },
        uniquingKeysWith: { first, _ in first }
    )
}

/// Apple's names of classes, attributes and everything else in a query, with the strings that they
/// stand for.
///
/// The strings are what programs save and what travels; the names are for people and for `rpc`.
package enum SecConstants {
    package typealias Entry = (name: String, value: String)

    /// All of them, each name once; several names may stand for one string.
    package static let all: [Entry] = classes + attributes + queries + values + protocols

    /// The string that a name stands for; nil when it is none of the names.
    package static func value(of name: String) -> String? {
        table[name]
    }

    private static let table = Dictionary(
        all.map { ($0.name, $0.value) },
        uniquingKeysWith: { first, _ in first }
    )
}

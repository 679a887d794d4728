/// What a metric means, and how it is exported.
///
/// A registry exports only the families that it was given, so no library adds a label that nobody
/// has looked at.
package struct MetricFamily: Sendable {
    package enum Kind: Sendable {
        /// Only rises.
        case counter
        case gauge
        /// Counts values up to each of these bounds, which rise.
        case histogram(bounds: [Double])
    }

    /// Without the `_total` of a counter; ends with its unit, if it has one.
    package let name: String
    package let kind: Kind
    /// One line.
    package let help: String

    package init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }

    var typeName: String {
        switch kind {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }

    /// The unit at the end of the name.
    var unit: String? { ["seconds", "bytes"].first { name.hasSuffix("_" + $0) } }
}

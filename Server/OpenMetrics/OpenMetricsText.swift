/// The text form of OpenMetrics 1.0.
enum OpenMetricsText {
    static func head(of family: MetricFamily) -> String {
        var text = "# TYPE \(family.name) \(family.typeName)\n"
        if let unit = family.unit { text += "# UNIT \(family.name) \(unit)\n" }
        return text + "# HELP \(family.name) \(escaped(family.help))\n"
    }

    static func samples(of instrument: Instrument) -> String {
        let name = instrument.family.name
        let labels = instrument.labels
        let value = instrument.current
        switch instrument.family.kind {
        case .counter: return line(name + "_total", labels, value.number)
        case .gauge: return line(name, labels, value.number)
        case .histogram(let bounds):
            var text = ""
            var count: UInt64 = 0
            for (bound, more) in zip(bounds + [.infinity], value.counts) {
                count += more
                text += line(
                    name + "_bucket",
                    labels + [("le", bound == .infinity ? "+Inf" : String(bound))],
                    Double(count)
                )
            }
            text += line(name + "_count", labels, Double(count))
            return text + line(name + "_sum", labels, value.number)
        }
    }

    private static func line(
        _ name: String,
        _ labels: [(String, String)],
        _ value: Double
    ) -> String {
        let pairs = labels.map { "\($0.0)=\"\(escaped($0.1))\"" }
        let list = pairs.isEmpty ? "" : "{" + pairs.joined(separator: ",") + "}"
        return "\(name)\(list) \(number(value))\n"
    }

    /// A number as Go and Python read it.
    private static func number(_ value: Double) -> String {
        if value == .infinity { return "+Inf" }
        if value == -.infinity { return "-Inf" }
        if value.isNaN { return "NaN" }
        if value == value.rounded(), abs(value) < 1e15 { return String(Int64(value)) }
        return String(value)
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.append(character)
            }
        }
        return result
    }
}

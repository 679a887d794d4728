internal import KSBytes
internal import KSImporting

/// Writes JSON with a line for each entry, so that people can compare two files.
struct JSONWriter {
    /// A value whose members stand in the order given.
    indirect enum Value {
        case null
        case bool(Bool)
        case number(Int64)
        /// A number as another program has written it.
        case digits(String)
        case text(String)
        /// Bytes that are ASCII and need no escapes, such as Base64.
        case plain([UInt8])
        case list([Value])
        case object([(String, Value)])
    }

    private(set) var bytes: [UInt8] = []

    mutating func write(_ text: String) { bytes += text.utf8 }

    mutating func write(_ value: Value) {
        switch value {
        case .null: write("null")
        case .bool(let value): write(value ? "true" : "false")
        case .number(let number): write(String(number))
        case .digits(let digits): write(digits)
        case .text(let text): write(text.quotedAsJSON)
        case .plain(let text):
            bytes.append(UInt8(ascii: "\""))
            bytes += text
            bytes.append(UInt8(ascii: "\""))
        case .list(let values):
            write("[")
            for (index, value) in values.enumerated() {
                if index > 0 { write(",") }
                write(value)
            }
            write("]")
        case .object(let members):
            write("{")
            for (index, member) in members.enumerated() {
                if index > 0 { write(",") }
                write(member.0.quotedAsJSON + ":")
                write(member.1)
            }
            write("}")
        }
    }

    /// A list whose elements have a line each.
    mutating func writeLines(_ values: some Sequence<Value>) {
        write("[")
        for (index, value) in values.enumerated() {
            write(index > 0 ? ",\n  " : "\n  ")
            write(value)
        }
        write("\n ]")
    }
}

extension JSONWriter.Value {
    static func text(_ text: String?) -> Self { text.map { .text($0) } ?? .null }
    static func time(_ milliseconds: Int64?) -> Self {
        .text(milliseconds.flatMap { Timestamp.text($0) })
    }
}

extension JSONWriter.Value {
    /// What was read, as it was.
    init(_ tree: JSONTree) {
        self =
            switch tree {
            case .null: .null
            case .bool(let value): .bool(value)
            case .number(let digits): .digits(digits)
            case .text(let text): .text(text)
            case .list(let elements): .list(elements.map { Self($0) })
            case .object(let members): .object(members.map { ($0.name, Self($0.value)) })
            }
    }

    /// The value alone, as JSON.
    var text: String {
        var writer = JSONWriter()
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

internal import Glibc
internal import KSCSystemd

/// The session bus, on which this process calls others and is called by nobody.
@safe
struct Bus: ~Copyable {
    private let handle: OpaquePointer

    /// How long an answer may take, in microseconds: a large keyring is slow to list.
    private static let timeoutMicroseconds: UInt64 = 120_000_000

    /// Connects to the bus that `DBUS_SESSION_BUS_ADDRESS` names, or to the user's usual one.
    init() throws(SecretServiceError) {
        var bus: OpaquePointer?
        let code = unsafe sd_bus_open_user(&bus)
        guard code >= 0, let bus = unsafe bus else { throw .noBus }
        unsafe handle = bus
    }

    deinit { unsafe sd_bus_flush_close_unref(handle) }

    /// Calls a method, and takes the values of its answer.
    ///
    /// - Throws: ``SecretServiceError`` if nobody answers, or the answer is an error.
    func call(
        _ destination: String,
        _ path: String,
        _ interface: String,
        _ method: String,
        _ arguments: [BusArgument] = []
    ) throws(SecretServiceError) -> [BusValue] {
        var message: OpaquePointer?
        guard
            unsafe sd_bus_message_new_method_call(
                handle,
                &message,
                destination,
                path,
                interface,
                method
            ) >= 0, let message = unsafe message
        else { throw .failed(method: method) }
        defer { unsafe sd_bus_message_unref(message) }
        for argument in arguments {
            guard unsafe argument.append(to: message) else { throw .failed(method: method) }
        }
        var error = unsafe sd_bus_error()
        defer { unsafe sd_bus_error_free(&error) }
        var reply: OpaquePointer?
        let code = unsafe sd_bus_call(handle, message, Self.timeoutMicroseconds, &error, &reply)
        defer { unsafe sd_bus_message_unref(reply) }
        guard code >= 0, let reply = unsafe reply else {
            let name = unsafe error.name.map { unsafe String(cString: $0) } ?? ""
            throw name.contains("ServiceUnknown") || name.contains("NameHasNoOwner")
                ? .noService : .failed(method: method)
        }
        guard let values = unsafe BusValue.all(reply, depth: 0) else {
            throw .failed(method: method)
        }
        return values
    }
}

/// What a method is given.
enum BusArgument {
    case text(String)
    case path(String)
    case paths([String])
    /// A text that says its type.
    case variant(String)

    func append(to message: OpaquePointer) -> Bool {
        switch self {
        case .text(let text): unsafe Self.append(text, "s", to: message)
        case .path(let path): unsafe Self.append(path, "o", to: message)
        case .paths(let paths):
            unsafe sd_bus_message_open_container(message, Self.type("a"), "o") >= 0
                && paths.allSatisfy { unsafe Self.append($0, "o", to: message) }
                && sd_bus_message_close_container(message) >= 0
        case .variant(let text):
            unsafe sd_bus_message_open_container(message, Self.type("v"), "s") >= 0
                && Self.append(text, "s", to: message)
                && sd_bus_message_close_container(message) >= 0
        }
    }

    private static func append(
        _ text: String,
        _ type: Unicode.Scalar,
        to message: OpaquePointer
    ) -> Bool {
        unsafe text.withCString {
            unsafe sd_bus_message_append_basic(message, self.type(type), $0) >= 0
        }
    }

    static func type(_ letter: Unicode.Scalar) -> CChar { CChar(letter.value) }
}

/// A value of an answer.
///
/// Variants are what is in them; an entry of a dictionary is a list of two.
enum BusValue {
    case text(String)
    case bool(Bool)
    case number(UInt64)
    case bytes([UInt8])
    case list([BusValue])

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    var number: UInt64? { if case .number(let number) = self { number } else { nil } }
    var list: [BusValue]? { if case .list(let values) = self { values } else { nil } }
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    var texts: [String] { (list ?? []).compactMap(\.text) }

    /// The value of a key, of a dictionary.
    subscript(key: String) -> BusValue? {
        list?.first { $0.list?.first?.text == key }?.list?.last
    }

    private static let depthMax = 16

    /// All values up to the end of the container that is open; nil for a broken message.
    static func all(_ message: OpaquePointer, depth: Int) -> [BusValue]? {
        guard depth < depthMax else { return nil }
        var values: [BusValue] = []
        while true {
            var type: CChar = 0
            var contents: UnsafePointer<CChar>?
            let code = unsafe sd_bus_message_peek_type(message, &type, &contents)
            guard code > 0 else { return code == 0 ? values : nil }
            guard let value = unsafe next(message, type, contents, depth) else { return nil }
            values.append(value)
        }
    }

    private static func next(
        _ message: OpaquePointer,
        _ type: CChar,
        _ contents: UnsafePointer<CChar>?,
        _ depth: Int
    ) -> BusValue? {
        switch Unicode.Scalar(UInt8(bitPattern: type)) {
        case "s", "o", "g":
            var text: UnsafePointer<CChar>?
            guard unsafe sd_bus_message_read_basic(message, type, &text) >= 0,
                let text = unsafe text
            else { return nil }
            return .text(unsafe String(cString: text))
        // The bus has truth values of 32 bits.
        case "b": return unsafe read(message, type, Int32(0)).map { .bool($0 != 0) }
        case "y": return unsafe read(message, type, UInt8(0)).map { .number(UInt64($0)) }
        case "q": return unsafe read(message, type, UInt16(0)).map { .number(UInt64($0)) }
        case "u": return unsafe read(message, type, UInt32(0)).map { .number(UInt64($0)) }
        case "t": return unsafe read(message, type, UInt64(0)).map { .number($0) }
        case "a":
            guard let contents = unsafe contents else { return nil }
            if unsafe contents[0] == BusArgument.type("y"), unsafe contents[1] == 0 {
                return unsafe bytes(message)
            }
            return unsafe container(message, type, contents, depth).map { .list($0) }
        case "v":
            // What stands in a variant is one value.
            return unsafe container(message, type, contents, depth)?.first
        case "r", "e": return unsafe container(message, type, contents, depth).map { .list($0) }
        default:
            // Of other types nothing is needed here.
            return unsafe sd_bus_message_skip(message, nil) >= 0 ? .list([]) : nil
        }
    }

    private static func read<Number: BitwiseCopyable>(
        _ message: OpaquePointer,
        _ type: CChar,
        _ zero: Number
    ) -> Number? {
        var number = zero
        let code = unsafe withUnsafeMutableBytes(of: &number) { bytes in
            unsafe sd_bus_message_read_basic(message, type, bytes.baseAddress)
        }
        return code >= 0 ? number : nil
    }

    private static func bytes(_ message: OpaquePointer) -> BusValue? {
        var start: UnsafeRawPointer?
        var count = 0
        let type = BusArgument.type("y")
        guard unsafe sd_bus_message_read_array(message, type, &start, &count) >= 0 else {
            return nil
        }
        return .bytes(unsafe Array(UnsafeRawBufferPointer(start: start, count: count)))
    }

    private static func container(
        _ message: OpaquePointer,
        _ type: CChar,
        _ contents: UnsafePointer<CChar>?,
        _ depth: Int
    ) -> [BusValue]? {
        guard unsafe sd_bus_message_enter_container(message, type, contents) >= 0,
            let values = unsafe all(message, depth: depth + 1),
            unsafe sd_bus_message_exit_container(message) >= 0
        else { return nil }
        return values
    }
}

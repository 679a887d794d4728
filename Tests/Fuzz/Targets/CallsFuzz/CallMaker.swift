internal import KSAgent

/// Makes calls of random bytes.
///
/// Nearly no random bytes are a message: names of calls and fields, and the numbers at which
/// arithmetic ends, are chosen from lists. The writes of `kv.write` are bytes as they are, since
/// their decoder is the one to be tried.
struct CallMaker {
    static let callsMax = 6

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Nil once the bytes have ended.
    mutating func next() -> (call: String, arguments: AgentDictionary)? {
        guard position < bytes.count else { return nil }
        let place = Int(byte())
        guard place % 4 != 0 else { return ("kv.write", writes()) }
        guard place % 4 != 3 else { return message() }
        return (Self.calls[place / 4 % Self.calls.count], dictionary(depth: 0))
    }

    private mutating func byte() -> UInt8 {
        guard position < bytes.count else { return 0 }
        defer { position += 1 }
        return bytes[position]
    }

    /// So many of the next bytes, or fewer at the end.
    private mutating func chunk(_ count: Int) -> [UInt8] {
        defer { position = min(position + count, bytes.count) }
        return Array(bytes[position...].prefix(count))
    }

    /// A whole request, as it comes from the socket.
    private mutating func message() -> (call: String, arguments: AgentDictionary) {
        let contents = chunk(Int(byte()) << 2)
        // What cannot be decoded is no request.
        guard case .request(let request)? = try? AgentMessage(decoding: contents),
            Self.calls.contains(request.call)
        else { return ("kv.write", writes()) }
        return (request.call, request.arguments)
    }

    private mutating func writes() -> AgentDictionary {
        let flags = byte()
        var arguments: AgentDictionary = [:]
        arguments["writes"] = .array((0...(flags & 7)).map { _ in .data(chunk(Int(byte()))) })
        if flags & 8 != 0 { arguments["isAtomic"] = true }
        if flags & 16 != 0 {
            arguments["writer"] = .data([UInt8](repeating: 1, count: 16))
            arguments["number"] = value(depth: 3)
        }
        return arguments
    }

    private mutating func dictionary(depth: Int) -> AgentDictionary {
        var dictionary: AgentDictionary = [:]
        for _ in 0..<(byte() & 7) {
            let key = Self.names[Int(byte()) % Self.names.count]
            dictionary[key] = value(depth: depth + 1)
        }
        return dictionary
    }

    private mutating func value(depth: Int) -> AgentValue {
        switch byte() % (depth < 4 ? 12 : 10) {
        case 0: return .null
        case 1: return .bool(false)
        case 2: return .bool(true)
        case 3: return .integer(Self.numbers[Int(byte()) % Self.numbers.count])
        case 4:
            return .integer(chunk(8).reduce(0) { $0 << 8 | Int64($1) })
        case 5: return .double(Self.reals[Int(byte()) % Self.reals.count])
        case 6: return .date(Self.reals[Int(byte()) % Self.reals.count])
        case 7: return .string(Self.words[Int(byte()) % Self.words.count])
        case 8: return .string(String(decoding: chunk(Int(byte())), as: UTF8.self))
        case 9: return .data(chunk(Int(byte())))
        case 10: return .array((0..<(byte() & 7)).map { _ in value(depth: depth + 1) })
        default: return .dictionary(dictionary(depth: depth))
        }
    }

    /// Calls that neither ask a server, nor derive a key, nor use paths on the disk.
    private static let calls = [
        "item.add", "item.find", "item.delete", "secitem", "item.history", "item.conflicts",
        "items.history", "items.restoreVersions", "items.forgetVersions", "items.deleted",
        "items.restoreDeleted",
        "items.ofCode", "kv.read", "kv.stores", "kv.write", "kv.watch", "kv.sync", "kv.account",
        "kv.status",
        "kv.limits", "kv.limits.set", "sync.now", "status", "account.mayHaveKey",
        "account.discardUnsent", "account.devices", "account.revoke", "doctor",
        "doctor.droppable", "entries.import",
        "device.state", "device.lock", "device.lockAfter", "device.loss", "keychains.list",
        "keychains.settings", "keychains.setSettings", "keychains.import", "stop",
    ]

    private static let numbers: [Int64] = [
        0, 1, -1, 2, 8, 64, 255, 256, 1024, 65_536, 1 << 20, 1 << 31, -(1 << 31), 1 << 32,
        1 << 53, .max, .max - 1, .min, .min + 1,
    ]

    private static let reals: [Double] = [
        0, -0.0, 1, -1, 0.5, 1e9, -1e9, 1e18, 1e19, -1e19, 1e300, -1e300, .infinity, -.infinity,
        .nan, .leastNonzeroMagnitude,
    ]

    /// Fields of calls, attributes and search keys.
    private static let names = [
        "account", "attributes", "class", "code", "defaults", "discard", "dryRun", "file", "fn",
        "format", "id", "isAtomic", "keyUnits", "keychain", "keychains", "keys", "kind", "limit",
        "lockOnSleep", "match", "minutes", "number", "place", "query", "reference", "restore",
        "seconds",
        "secret", "showsSecrets", "skip", "store", "synchronizable", "totalBytes", "update",
        "useInterval", "valueBytes", "versions", "wantsConflicts", "wantsHistory", "wantsSecret",
        "writer",
        "writes", "devices", "name", "passphrase", "acct", "svce", "srvr", "port", "ptcl", "atyp",
        "path", "sdmn", "labl", "desc", "icmt", "cdat", "mdat", "crtr", "type", "invi", "nega",
        "gena", "agrp", "pdmn", "sync", "kcls", "klbl", "atag", "bsiz", "esiz", "perm", "accc",
        "tomb", "v_Data", "v_Ref", "v_PersistentRef", "r_Data", "r_Attributes", "r_Ref",
        "r_PersistentRef", "m_Limit", "m_CaseInsensitive", "m_TrustedOnly", "m_ValidOnDate",
        "m_Policy", "m_Issuers", "m_Subject", "m_EmailAddress", "u_AuthUI", "$ref", "flags",
        "protection", "issr", "slnr", "subj", "ctyp", "cenc", "skid", "pkhh",
    ]

    private static let words = [
        "", "genp", "inet", "keys", "cert", "idnt", "add", "copy", "update", "update-exactly",
        "delete", "yes", "no", "any", "m_LimitAll", "m_LimitOne", "ak", "ck", "dk", "aku", "cku",
        "akpu", "http", "htps", "42", "73", "1", "-1", "0", "18446744073709551616", "all", "a",
        "sync-client:limits", "chrome", "csv", "pem", "accc", "policy",
    ]
}

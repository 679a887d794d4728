internal import Agent

/// One of the commands about items, with its options.
struct ItemCommand {
    let tool: Tool
    let options: Options
    let home: String?

    /// How often a password may be typed differently the second time.
    private static let attemptsMax = 3

    func add(_ itemClass: ItemClass) throws -> Int32 {
        guard options["a"] != nil, let name = options["s"], options.operands.count <= 1 else {
            throw UsageError()
        }
        var attributes = try ItemArguments.attributes(options, itemClass)
        if attributes["labl"] == nil { attributes["labl"] = ItemArguments.text(name) }
        if itemClass == .internetPassword, attributes["atyp"] == nil {
            attributes["atyp"] = "dflt"
        }
        let isUpdate = options.has("U")
        var arguments: AgentDictionary = [
            "class": .string(itemClass.rawValue),
            "attributes": .dictionary(attributes),
            "match": .dictionary(ItemArguments.match(attributes, itemClass)),
            "synchronizable": .bool(options.isSynchronizable),
            "update": .bool(isUpdate),
        ]
        guard case .some(let secret) = try secret(itemClass) else { return 1 }
        // An update that names no secret leaves the one that is there.
        if !secret.isGiven, !isUpdate {
            arguments["secret"] = .data([])
        } else if secret.isGiven {
            arguments["secret"] = .data(secret.bytes)
        }
        let keychain = options.operands.first.map { String(decoding: $0, as: UTF8.self) }
        let routine =
            switch itemClass {
            case .genericPassword:
                "SecKeychainItemCreateFromContent (\(keychain ?? "<default>"))"
            case .internetPassword: "SecKeychainAddInternetPassword \(keychain ?? "<NULL>")"
            }
        return try answering(routine) { service throws(AgentError) in
            _ = try service.call("item.add", arguments)
        }
    }

    func find(_ itemClass: ItemClass) throws -> Int32 {
        let attributes = try ItemArguments.attributes(options, itemClass)
        let showsOnlySecret = options.has("w")
        let wantsSecret = showsOnlySecret || options.has("g")
        var arguments = query(attributes, itemClass)
        arguments["limit"] = 1
        arguments["wantsSecret"] = .bool(wantsSecret)
        return try answering("SecKeychainSearchCopyNext") { service throws(AgentError) in
            let found = try service.call("item.find", arguments).array ?? []
            guard let item = found.first?.dictionary else {
                throw AgentError.failed(AgentFailure(code: StatusMessages.notFound, status: ""))
            }
            let secret = item["secret"]?.data ?? []
            if showsOnlySecret {
                tool.say(Self.bare(secret) + "\n", .output)
                return
            }
            tool.say(AttributeBlock.text(item: item, keychain: service.keychain), .output)
            if wantsSecret { tool.say("password: \(PrintBuffer.text(secret))\n", .error) }
        }
    }

    func delete(_ itemClass: ItemClass) throws -> Int32 {
        let attributes = try ItemArguments.attributes(options, itemClass)
        guard !attributes.isEmpty else { throw UsageError() }
        let arguments = query(attributes, itemClass)
        return try answering("SecKeychainSearchCopyNext") { service throws(AgentError) in
            let item = try service.call("item.delete", arguments).dictionary ?? [:]
            tool.say(AttributeBlock.text(item: item, keychain: service.keychain), .output)
            tool.say("password has been deleted.\n", .error)
        }
    }

    private func query(
        _ attributes: AgentDictionary,
        _ itemClass: ItemClass
    ) -> AgentDictionary {
        [
            "class": .string(itemClass.rawValue),
            "attributes": .dictionary(ItemArguments.criteria(attributes, itemClass)),
            "synchronizable": options.isSynchronizable ? "yes" : "any",
        ]
    }

    /// Connects, does it, and tells of the daemon's "no" under the name of the routine that
    /// `security` would have called.
    private func answering(
        _ routine: String,
        _ body: (any ItemService) throws(AgentError) -> Void
    ) throws(AgentError) -> Int32 {
        do throws(AgentError) {
            try body(try tool.connect(home))
            return 0
        } catch .failed(let failure) {
            let hint = failure.hint.isEmpty ? "" : " " + failure.hint
            let text = StatusMessages.text(for: failure.code)
            tool.say("security: \(routine): \(text)\(hint)\n", .error)
            return failure.code
        }
    }

    /// The secret alone: as text if all of it is printable ASCII, else in hexadecimal.
    private static func bare(_ secret: [UInt8]) -> String {
        secret.allSatisfy { (0x20...0x7E).contains($0) }
            ? String(decoding: secret, as: UTF8.self) : PrintBuffer.hexadecimal(secret)
    }

    /// The new secret, asked for if need be; nil when it was typed differently too often.
    private func secret(
        _ itemClass: ItemClass
    ) throws -> (bytes: [UInt8], isGiven: Bool)? {
        if options.asksPassword {
            return try askTwice().map { ($0, true) }
        }
        if let digits = options["X"] {
            guard let bytes = ItemArguments.bytes(hexadecimal: digits) else {
                tool.say("security: the password is not in hexadecimal\n", .error)
                throw UsageError()
            }
            return (bytes, true)
        }
        // For internet passwords -p is the path.
        let given = options["w"] ?? (itemClass == .genericPassword ? options["p"] : nil)
        return given.map { ($0, true) } ?? ([], false)
    }

    private func askTwice() throws -> [UInt8]? {
        for _ in 0..<Self.attemptsMax {
            let first = try tool.askPassword("password data for new item: ")
            let second = try tool.askPassword("retype password for new item: ")
            if first == second { return first }
            tool.say("security: the passwords differ\n", .error)
        }
        return nil
    }
}

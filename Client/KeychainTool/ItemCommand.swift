internal import KSBytes
internal import KSAgent
internal import KSSecurityNames

/// One of the commands about passwords, with its options.
struct ItemCommand {
    let call: Invocation

    private var options: Options { call.options }

    func add(_ itemClass: ItemClass) throws -> Int32 {
        // Reports a malformed four-character code before a missing option, as `security` does.
        var attributes = try ItemArguments.attributes(options, itemClass)
        guard options["a"] != nil, let name = options["s"], options.operands.count <= 1 else {
            throw UsageError()
        }
        if attributes["labl"] == nil { attributes["labl"] = ItemArguments.text(name) }
        let isUpdate = options.has("U")
        var request = AddItem(class: itemClass.rawValue)
        request.attributes = attributes
        request.match = ItemArguments.match(attributes, itemClass)
        request.synchronizable = options.isSynchronizable
        request.update = isUpdate
        // An item that is there keeps its own.
        if itemClass == .internetPassword { request.defaults = ["atyp": "dflt"] }
        request.keychain = call.keychains.first
        guard case .some(let secret) = try secret(itemClass) else { return Tool.failed }
        // An update that names no secret leaves the one that is there.
        if secret.isGiven || !isUpdate { request.secret = secret.bytes }
        let keychain = options.operands.first.map { String(decoding: $0, as: UTF8.self) }
        let routine =
            itemClass == .genericPassword
            ? "SecKeychainItemCreateFromContent (\(keychain ?? "<default>"))"
            : "SecKeychainAddInternetPassword \(keychain ?? "<NULL>")"
        return try call.answering(routine) { service throws(AgentError) in
            _ = try service.call(request)
        }
    }

    func find(_ itemClass: ItemClass) throws -> Int32 {
        let attributes = try ItemArguments.attributes(options, itemClass)
        let showsOnlySecret = options.has("w")
        let wantsSecret = showsOnlySecret || options.has("g")
        let request = FindItems(
            query(attributes, itemClass),
            limit: 1,
            wantsSecret: wantsSecret
        )
        return try call.answering(
            "SecKeychainSearchCopyNext",
            // A secret that may not be read is told by the exit status alone.
            isSilentAbout: wantsSecret ? StatusMessages.secretRefused : []
        ) { service throws(AgentError) in
            guard let item = try service.search(request).first else {
                throw AgentError.failed(
                    AgentFailure(code: SecStatus.errSecItemNotFound, status: "")
                )
            }
            let secret = item.secret ?? []
            if showsOnlySecret {
                call.say(Self.bare(secret) + "\n", .output)
                return
            }
            show(
                AttributeBlock.text(item: item, keychain: service.keychain),
                remark: wantsSecret ? "password: \(PrintBuffer.text(secret))\n" : ""
            )
        }
    }

    func delete(_ itemClass: ItemClass) throws -> Int32 {
        let attributes = try ItemArguments.attributes(options, itemClass)
        guard !attributes.isEmpty else { throw UsageError() }
        let request = DeleteItem(query(attributes, itemClass))
        return try call.answering("SecKeychainSearchCopyNext") { service throws(AgentError) in
            let item = try service.search(request)
            show(
                AttributeBlock.text(item: item, keychain: service.keychain),
                remark: "password has been deleted.\n"
            )
        }
    }

    /// Shows a block, and a remark on standard error.
    ///
    /// On macOS what goes into a pipe is kept until the end, so that the remark is the first line
    /// where both streams are one, and scripts take it from there.
    private func show(_ block: String, remark: String) {
        let isShown = call.tool.surroundings.isShown()
        if isShown { call.say(block, .output) }
        if !remark.isEmpty { call.say(remark, .error) }
        if !isShown { call.say(block, .output) }
    }

    private func query(
        _ attributes: AgentDictionary,
        _ itemClass: ItemClass
    ) -> ItemSearch {
        ItemSearch(
            class: itemClass.rawValue,
            attributes: ItemArguments.criteria(attributes, itemClass),
            synchronizable: options.isSynchronizable ? "yes" : "any",
            keychains: call.keychains
        )
    }

    /// The secret alone: as text if all of it is printable ASCII, else in hexadecimal.
    private static func bare(_ secret: [UInt8]) -> String {
        secret.allSatisfy { (0x20...0x7E).contains($0) }
            ? String(decoding: secret, as: UTF8.self) : String(hexadecimal: secret)
    }

    /// The new secret, asked for if need be; nil when it was typed differently too often.
    private func secret(
        _ itemClass: ItemClass
    ) throws -> (bytes: [UInt8], isGiven: Bool)? {
        if options.asksPassword {
            return try call.askTwice(
                "password data for new item: ",
                "retype password for new item: "
            )
            .map { ($0, true) }
        }
        if let digits = options["X"] {
            guard let bytes = ItemArguments.bytes(hexadecimal: digits) else {
                call.say(
                    "security: Unable to convert password data"
                        + " (-X must specify valid hex digits)\n",
                    .error
                )
                throw UsageError()
            }
            return (bytes, true)
        }
        // For internet passwords -p is the path.
        let given = options["w"] ?? (itemClass == .genericPassword ? options["p"] : nil)
        return given.map { ($0, true) } ?? ([], false)
    }
}

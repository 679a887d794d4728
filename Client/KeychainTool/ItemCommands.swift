internal import KSEveryday
internal import KSBytes
internal import KSAgent
internal import KSSecurityNames

// The commands about passwords and keys.
extension Invocation {
    func addItem(_ itemClass: ToolClass) throws -> Int32 {
        // Reports a malformed four-character code before a missing option, as `security` does.
        var attributes = try OptionAttributes.attributes(options, itemClass)
        guard options["a"] != nil, let name = options["s"] else { throw UsageError() }
        let (keychain, typed) = try oneKeychain()
        if attributes["labl"] == nil { attributes["labl"] = OptionAttributes.text(name) }
        let isUpdate = options.has("U")
        var request = AddItem(class: itemClass.rawValue)
        request.attributes = attributes
        request.match = OptionAttributes.match(attributes, itemClass)
        request.synchronizable = options.isSynchronizable
        request.update = isUpdate
        // Only for a new item: an existing one keeps its own type.
        if itemClass == .internetPassword { request.defaults = ["atyp": "dflt"] }
        request.keychain = keychain
        // An update without a secret keeps the existing one.
        request.secret = try secret(itemClass) ?? (isUpdate ? nil : [])
        let routine =
            itemClass == .genericPassword
            ? "SecKeychainItemCreateFromContent (\(typed ?? "<default>"))"
            : "SecKeychainAddInternetPassword \(typed ?? "<NULL>")"
        return try answering(routine) { service throws(AgentError) in
            let twins = try service.call(request)
            guard !twins.isEmpty else { return }
            let note = TwinNote.text(twins, itemClass, after: isUpdate ? .update : .add)
            say(note, .error)
        }
    }

    func findItem(_ itemClass: ToolClass) throws -> Int32 {
        let showsOnlySecret = options.has("w")
        let wantsSecret = showsOnlySecret || options.has("g")
        let request = FindItems(try search(itemClass), limit: 1, wantsSecret: wantsSecret)
        return try answering(
            "SecKeychainSearchCopyNext",
            // If the secret may not be read, only the exit status reports it.
            isSilentAbout: wantsSecret ? StatusMessages.secretRefused : []
        ) { service throws(AgentError) in
            guard let item = try service.search(request).first else {
                throw .refused(SecStatus.errSecItemNotFound)
            }
            let secret = item.secret ?? []
            if showsOnlySecret {
                say(Self.bare(secret) + "\n", .output)
                return
            }
            show(
                AttributeBlock.text(item: item, keychain: service.keychain),
                remark: wantsSecret ? "password: \(PrintBuffer.text(secret))\n" : ""
            )
        }
    }

    func deleteItem(_ itemClass: ToolClass) throws -> Int32 {
        let search = try search(itemClass)
        guard search.attributes?.isEmpty == false else { throw UsageError() }
        return try answering("SecKeychainSearchCopyNext") { service throws(AgentError) in
            let item = try service.search(DeleteItem(search))
            show(
                AttributeBlock.text(item: item, keychain: service.keychain),
                remark: "password has been deleted.\n"
            )
            guard !item.twins.isEmpty else { return }
            say(TwinNote.text(item.twins, itemClass, after: .delete), .error)
        }
    }

    func findKeys() throws -> Int32 {
        let result = try showAll(FindItems(try search(.key)))
        return result == SecStatus.errSecItemNotFound ? Tool.failed : result
    }

    /// Answers `set-…-partition-list`: items have no access control lists, so nothing is stored.
    ///
    /// It still checks for scripts that the keychain is unlocked, that the password is the
    /// keychain's, and that there is such an item.
    ///
    /// - Returns: 0, or 1 after any error.
    func setPartitions(_ itemClass: ToolClass) throws -> Int32 {
        guard options["S"] != nil else { throw UsageError() }
        let (keychain, typed) = try oneKeychain()
        let request = FindItems(try search(itemClass), limit: itemClass == .key ? nil : 1)
        let password = try options["k"] ?? ask("password to unlock \(typed ?? "default"): ")
        guard try unlock(keychain, typed: typed, password: password) == 0 else {
            return Tool.failed
        }
        return try showAll(request) == 0 ? 0 : Tool.failed
    }

    private func search(_ itemClass: ToolClass) throws -> ItemSearch {
        ItemSearch(
            class: itemClass.rawValue,
            attributes: OptionAttributes.criteria(
                try OptionAttributes.attributes(options, itemClass),
                itemClass
            ),
            // No option selects keys by whether they are synchronizable.
            synchronizable: itemClass == .key ? nil : options.isSynchronizable ? "yes" : "any",
            keychains: keychains
        )
    }

    private func showAll(_ request: FindItems) throws -> Int32 {
        try answering("SecItemCopyMatching") { service throws(AgentError) in
            for item in try service.call(request) {
                say(AttributeBlock.text(item: item, keychain: service.keychain), .output)
            }
        }
    }

    /// Prints a block, and a remark on standard error.
    ///
    /// On macOS output into a pipe is buffered until the end. If both streams go into one pipe, the
    /// remark is therefore the first line, and scripts rely on that.
    private func show(_ block: String, remark: String) {
        let isShown = tool.surroundings.isShown
        if isShown { say(block, .output) }
        if !remark.isEmpty { say(remark, .error) }
        if !isShown { say(block, .output) }
    }

    /// The secret alone: as text if all of it is printable ASCII, else in hexadecimal.
    private static func bare(_ secret: [UInt8]) -> String {
        secret.allSatisfy { (0x20...0x7E).contains($0) }
            ? String(decoding: secret, as: UTF8.self) : String(hexadecimal: secret)
    }

    /// The new secret, from an option or a prompt; nil if no option asks for one.
    private func secret(_ itemClass: ToolClass) throws -> [UInt8]? {
        if options.asksPassword {
            return try askTwice("password data for new item: ", "retype password for new item: ")
        }
        if let digits = options["X"] {
            guard let bytes = OptionAttributes.bytes(hexadecimal: digits) else {
                say(
                    "security: Unable to convert password data"
                        + " (-X must specify valid hex digits)\n",
                    .error
                )
                throw UsageError()
            }
            return bytes
        }
        // For internet passwords, -p is the path.
        return options["w"] ?? (itemClass == .genericPassword ? options["p"] : nil)
    }
}

extension ItemService {
    /// Makes a call that searches; as in `security`, a missing keychain has no such item.
    fileprivate func search<Call: AgentCall>(_ call: Call) throws(AgentError) -> Call.Answer {
        do throws(AgentError) {
            return try self.call(call)
        } catch .failed(let failure) where failure.code == SecStatus.errSecNoSuchKeychain {
            throw .refused(SecStatus.errSecItemNotFound)
        }
    }
}

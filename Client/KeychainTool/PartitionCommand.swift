internal import KSAgent

/// `set-key-partition-list`, and those for passwords.
///
/// There are no programs here that would be asked about. What a script learns on the way holds:
/// that the keychain is unlocked, that the password is its, and that there is such an item.
struct PartitionCommand {
    let call: Invocation

    private var options: Options { call.options }

    /// - Returns: 0 or 1, whatever the reason.
    func run(_ itemClass: ItemClass) throws -> Int32 {
        guard options["S"] != nil, options.operands.count <= 1 else { throw UsageError() }
        var query = try query(itemClass)
        let typed = options.operands.first.map { String(decoding: $0, as: UTF8.self) }
        let password =
            try options["k"]
            ?? call.tool.surroundings.askPassword("password to unlock \(typed ?? "default"): ")
        var unlocking: AgentDictionary = ["password": .data(password)]
        if let keychain = call.keychains.first {
            unlocking["keychain"] = .string(keychain)
            query["keychains"] = [.string(keychain)]
        }
        let unlocked = try call.answering("SecKeychainUnlock \(typed ?? "<NULL>")") {
            service throws(AgentError) in
            _ = try service.call("keychains.unlock", unlocking)
        }
        guard unlocked == 0 else { return Tool.failed }
        let found = try call.answering("SecItemCopyMatching") { service throws(AgentError) in
            for item in try service.call("item.find", query).array ?? [] {
                let item = item.dictionary ?? [:]
                call.say(AttributeBlock.text(item: item, keychain: service.keychain), .output)
            }
        }
        return found == 0 ? 0 : Tool.failed
    }

    private func query(_ itemClass: ItemClass) throws -> AgentDictionary {
        switch itemClass {
        case .genericPassword, .internetPassword:
            let attributes = try ItemArguments.attributes(options, itemClass)
            return [
                "class": .string(itemClass.rawValue),
                "attributes": .dictionary(ItemArguments.criteria(attributes, itemClass)),
                "limit": 1,
            ]
        case .certificate, .key:
            return [
                "class": .string(itemClass.rawValue),
                "attributes": .dictionary(try ItemArguments.keyAttributes(options)),
            ]
        }
    }
}

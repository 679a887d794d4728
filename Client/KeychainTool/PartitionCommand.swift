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
        let query = try query(itemClass)
        let typed = options.operands.first.map { String(decoding: $0, as: UTF8.self) }
        let password =
            try options["k"]
            ?? call.tool.surroundings.askPassword("password to unlock \(typed ?? "default"): ")
        let unlocking = UnlockKeychain(keychain: call.keychains.first, password: password)
        let unlocked = try call.answering("SecKeychainUnlock \(typed ?? "<NULL>")") {
            service throws(AgentError) in
            _ = try service.call(unlocking)
        }
        guard unlocked == 0 else { return Tool.failed }
        let found = try call.answering("SecItemCopyMatching") { service throws(AgentError) in
            for item in try service.call(query) {
                call.say(AttributeBlock.text(item: item, keychain: service.keychain), .output)
            }
        }
        return found == 0 ? 0 : Tool.failed
    }

    private func query(_ itemClass: ItemClass) throws -> FindItems {
        let attributes = try ItemArguments.attributes(options, itemClass)
        let search = ItemSearch(
            class: itemClass.rawValue,
            attributes: ItemArguments.criteria(attributes, itemClass),
            keychains: Array(call.keychains.prefix(1))
        )
        return FindItems(search, limit: itemClass == .key ? nil : 1)
    }
}

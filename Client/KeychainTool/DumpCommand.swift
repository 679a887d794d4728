internal import KSEveryday
internal import KSAgent
internal import KSSecurityNames

// `dump-keychain`: every item of some keychains.
extension Invocation {
    /// Items in one request: few enough for one answer, even if they are large.
    private static let pageItems = 100

    /// - Returns: 0, or 1 after any error.
    func dumpKeychains() throws -> Int32 {
        var text: [UInt8] = []
        let path = self.text("o")
        let result = try answering("SecKeychainSearchCopyNext") { service throws(AgentError) in
            try eachItem(service) { item in
                let block = Array(self.text(of: item, keychain: service.keychain).utf8)
                if path == nil {
                    tool.surroundings.write(block, to: .output)
                } else {
                    text += block
                }
            }
        }
        guard result == 0 else { return Tool.failed }
        if let path { try write(text, toFile: path) }
        return 0
    }

    /// Calls `body` for each item, by keychain and class, of the named keychains or else of the
    /// search list.
    private func eachItem(
        _ service: any ItemService,
        _ body: (FoundItem) -> Void
    ) throws(AgentError) {
        let searched = named == nil ? try service.call(ListKeychains()).search : keychains
        for keychain in searched {
            for itemClass in ToolClass.allCases {
                try eachItem(of: itemClass, in: keychain, service, body)
            }
        }
    }

    private func eachItem(
        of itemClass: ToolClass,
        in keychain: String,
        _ service: any ItemService,
        _ body: (FoundItem) -> Void
    ) throws(AgentError) {
        let search = ItemSearch(
            class: itemClass.rawValue,
            synchronizable: options.isSynchronizable ? "yes" : "any",
            keychains: [keychain]
        )
        var request = FindItems(search, limit: Int64(Self.pageItems), wantsSecret: options.has("d"))
        var skip: Int64 = 0
        while true {
            request.skip = skip
            let items: [FoundItem]
            do throws(AgentError) {
                items = try service.call(request)
            } catch .failed(let failure) where isPassedOver(failure.code) {
                return
            }
            for item in items { body(item) }
            guard items.count == Self.pageItems else { return }
            skip += Int64(items.count)
        }
    }

    /// Whether the keychain has no item of a class, or is a missing keychain of the search list.
    private func isPassedOver(_ status: Int32) -> Bool {
        status == SecStatus.errSecItemNotFound
            || status == SecStatus.errSecNoSuchKeychain && named == nil
    }

    private func text(of item: FoundItem, keychain: String) -> String {
        var text = AttributeBlock.text(item: item, keychain: keychain)
        // Not in `security`, whose keychains do not sync.
        if item.isSynced { text += "    \"sync\"<uint32>=\(PrintBuffer.text([0, 0, 0, 1]))\n" }
        if options.has("a") || options.has("i") { text += "no access control for this item\n" }
        if options.has("d") { text += "data:\n" + PrintBuffer.text(item.secret ?? []) + "\n" }
        return text
    }
}

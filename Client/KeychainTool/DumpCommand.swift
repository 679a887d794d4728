internal import KSAgent
internal import KSFiles
internal import KSSecurityNames

/// `dump-keychain`: every item of some keychains.
struct DumpCommand {
    let call: Invocation

    /// Few enough for one answer, even of large items.
    private static let pageItems = 100

    /// - Returns: 0 or 1, whatever the reason.
    func run() throws -> Int32 {
        var text: [UInt8] = []
        let isToFile = call.options["o"] != nil
        let result = try call.answering("SecKeychainSearchCopyNext") { service throws(AgentError) in
            try eachItem(service) { item in
                let block = Array(self.text(of: item, keychain: service.keychain).utf8)
                if isToFile {
                    text += block
                } else {
                    call.tool.surroundings.write(block, .output)
                }
            }
        }
        if result == 0, let path = call.options["o"] {
            let path = String(decoding: path, as: UTF8.self)
            do throws(FileError) {
                try call.tool.surroundings.writeFile(path, text)
            } catch {
                call.say("security: \(path): \(error.text)\n", .error)
                return Tool.failed
            }
        }
        return result == 0 ? 0 : Tool.failed
    }

    /// One keychain after the other, and in each one class after the other.
    private func eachItem(
        _ service: any ItemService,
        _ body: (FoundItem) -> Void
    ) throws(AgentError) {
        for keychain in try places(service) {
            for itemClass in ItemClass.allCases {
                try eachItem(of: itemClass, in: keychain, service, body)
            }
        }
    }

    private func eachItem(
        of itemClass: ItemClass,
        in keychain: String,
        _ service: any ItemService,
        _ body: (FoundItem) -> Void
    ) throws(AgentError) {
        var skip: Int64 = 0
        while true {
            let query = ItemSearch(
                class: itemClass.rawValue,
                synchronizable: call.options.isSynchronizable ? "yes" : "any",
                keychains: [keychain]
            )
            var request = FindItems(query, wantsSecret: call.options.has("d"))
            request.limit = Int64(Self.pageItems)
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

    /// Nothing of this class, or a keychain of the search list that is gone.
    private func isPassedOver(_ status: Int32) -> Bool {
        status == SecStatus.errSecItemNotFound
            || status == SecStatus.errSecNoSuchKeychain && call.keychains.isEmpty
    }

    /// The keychains that are named, or those that are searched.
    private func places(_ service: any ItemService) throws(AgentError) -> [String] {
        guard call.keychains.isEmpty else { return call.keychains }
        return try service.call(ListKeychains()).search
    }

    private func text(of item: FoundItem, keychain: String) -> String {
        var text = AttributeBlock.text(item: item, keychain: keychain)
        if call.options.has("a") || call.options.has("i") {
            text += "no access control for this item\n"
        }
        if call.options.has("d") {
            text += "data:\n" + PrintBuffer.text(item.secret ?? []) + "\n"
        }
        return text
    }
}

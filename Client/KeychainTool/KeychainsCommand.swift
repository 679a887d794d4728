internal import KSAgent
internal import KSSecurityNames

/// One of the commands about keychains as a whole.
struct KeychainsCommand {
    enum Kind: Equatable {
        case list
        case byDefault
        case login
        case create
        case delete
        case lock
        case unlock
        case setSettings
        case setPassword
        case showInfo
    }

    let call: Invocation

    private var options: Options { call.options }

    func run(_ kind: Kind) throws -> Int32 {
        switch kind {
        case .list: try list()
        case .byDefault: try byDefault()
        case .login: try login()
        case .create: try create()
        case .delete: try delete()
        case .lock: try lock()
        case .unlock: try unlock()
        case .setSettings: try setSettings()
        case .setPassword: try setPassword()
        case .showInfo: try showInfo()
        }
    }

    // MARK: The list

    private enum Domain: String, CaseIterable {
        case user, system, common, dynamic
    }

    /// Which preferences are meant; the user's own are the only ones here.
    private func domain() throws -> Domain {
        guard let typed = options["d"] else { return .user }
        let text = String(decoding: typed, as: UTF8.self)
        guard !text.isEmpty,
            let domain = Domain.allCases.first(where: { $0.rawValue.hasPrefix(text) })
        else { throw UsageError() }
        return domain
    }

    private func refuse(_ domain: Domain) -> Int32? {
        guard domain != .user else { return nil }
        call.say("security: there are no \(domain.rawValue) preferences to change here\n", .error)
        return Tool.failed
    }

    private func show(_ path: String) {
        call.say("    \"\(path)\"\n", .output)
    }

    private func list() throws -> Int32 {
        let domain = try domain()
        if options.has("s") {
            if let refused = refuse(domain) { return refused }
            let names = call.keychains
            let result = try call.answering(routine("Set", "SearchList", domain)) {
                service throws(AgentError) in
                _ = try service.call(SetSearchList(keychains: names))
            }
            return result == 0 ? 0 : Tool.failed
        }
        guard domain == .user else { return 0 }
        let result = try call.answering(routine("Copy", "SearchList", domain)) {
            service throws(AgentError) in
            for path in try service.call(ListKeychains()).search { show(path) }
        }
        return result == 0 ? 0 : Tool.failed
    }

    private func byDefault() throws -> Int32 {
        let domain = try domain()
        guard options.operands.count <= (options.has("s") ? 1 : 0) else { throw UsageError() }
        if options.has("s") {
            if let refused = refuse(domain) { return refused }
            let name = call.keychains.first
            return try call.answering(routine("Set", "Default", domain)) {
                service throws(AgentError) in
                _ = try service.call(SetDefaultKeychain(keychain: name))
            }
        }
        return try call.answering(routine("Copy", "Default", domain)) {
            service throws(AgentError) in
            let answer = try service.call(ListKeychains())
            guard domain == .user, let path = answer.default else {
                throw AgentError.failed(
                    AgentFailure(code: SecStatus.errSecNoDefaultKeychain, status: "")
                )
            }
            show(path)
        }
    }

    /// What `security` calls for it: another routine where a domain is named.
    private func routine(_ verb: String, _ object: String, _ domain: Domain) -> String {
        options["d"] == nil
            ? "SecKeychain\(verb)\(object)"
            : "SecKeychain\(verb)Domain\(object) \(domain.rawValue)"
    }

    private func login() throws -> Int32 {
        _ = try domain()
        guard !options.has("s") else {
            call.say("security: the login keychain is the device's own and cannot be set\n", .error)
            return Tool.failed
        }
        guard options.operands.isEmpty else { throw UsageError() }
        return try call.answering("SecKeychainCopyLogin") { service throws(AgentError) in
            show(try service.call(ListKeychains()).login ?? service.keychain)
        }
    }

    // MARK: Making and deleting

    private func create() throws -> Int32 {
        guard !options.operands.isEmpty else { throw UsageError() }
        guard !options.has("P") else {
            call.say("security: there are no windows to ask for a password with\n", .error)
            return Tool.failed
        }
        let password: [UInt8]
        if let given = options["p"] {
            password = given
        } else {
            let typed = try orNil {
                try call.askTwice(
                    "password for new keychain: ",
                    "retype password for new keychain: "
                )
            }
            guard let typed else { return Tool.brokenOff }
            password = typed
        }
        return try forEach("SecKeychainCreate") { service, name throws(AgentError) in
            _ = try service.call(CreateKeychain(keychain: name, password: password))
        }
    }

    /// A prompt that cannot be answered is one that was broken off.
    private func orNil(_ ask: () throws -> [UInt8]?) throws -> [UInt8]? {
        do {
            return try ask()
        } catch let error as NoTerminal {
            call.say(error.sentence, .error)
            return nil
        }
    }

    private func delete() throws -> Int32 {
        guard !options.operands.isEmpty else { throw UsageError() }
        return try forEach("SecKeychainDelete", isNamed: false) {
            service,
            name throws(AgentError) in
            _ = try service.call(DeleteKeychain(keychain: name))
        }
    }

    /// Does it for each named keychain; the first that fails ends it, and is named unless
    /// `security` does not.
    private func forEach(
        _ routine: String,
        isNamed: Bool = true,
        _ body: (any ItemService, String) throws(AgentError) -> Void
    ) throws -> Int32 {
        for (name, typed) in zip(call.keychains, options.operands) {
            let words = isNamed ? "\(routine) \(String(decoding: typed, as: UTF8.self))" : routine
            let result = try call.answering(words) { service throws(AgentError) in
                try body(service, name)
            }
            if result != 0 { return result }
        }
        return 0
    }

    // MARK: The lock

    /// The one keychain that may be named, as the daemon takes it and as it was typed.
    private func oneKeychain() throws -> (name: String?, typed: String?) {
        guard options.operands.count <= 1 else { throw UsageError() }
        guard let name = call.keychains.first, let typed = options.operands.first else {
            return (nil, nil)
        }
        return (name, String(decoding: typed, as: UTF8.self))
    }

    private func lock() throws -> Int32 {
        if options.has("a") {
            guard options.operands.isEmpty else { throw UsageError() }
            return try call.answering("SecKeychainLockAll") { service throws(AgentError) in
                _ = try service.call(LockKeychain(all: true))
            }
        }
        guard !options.operands.isEmpty else {
            return try call.answering("SecKeychainLock <NULL>") { service throws(AgentError) in
                _ = try service.call(LockKeychain())
            }
        }
        return try forEach("SecKeychainLock") { service, name throws(AgentError) in
            _ = try service.call(LockKeychain(keychain: name))
        }
    }

    private func unlock() throws -> Int32 {
        let (name, typed) = try oneKeychain()
        let password: [UInt8]
        if options.has("u") {
            password = []
        } else if let given = options["p"] {
            password = given
        } else {
            let asked = try orNil {
                try call.tool.surroundings.askPassword("password to unlock \(typed ?? "default"): ")
            }
            guard let asked else { return Tool.brokenOff }
            password = asked
        }
        return try call.answering("SecKeychainUnlock \(typed ?? "<NULL>")") {
            service throws(AgentError) in
            _ = try service.call(UnlockKeychain(keychain: name, password: password))
        }
    }

    private func setPassword() throws -> Int32 {
        let (name, typed) = try oneKeychain()
        let ask = call.tool.surroundings.askPassword
        let old = try options["o"] ?? ask("Old Password: ")
        let new: [UInt8]
        if let given = options["p"] {
            new = given
        } else {
            new = try ask("New Password: ")
            guard try ask("Retype New Password: ") == new else {
                call.say("security: the passwords differ\n", .error)
                return Tool.failed
            }
        }
        return try call.answering("SecKeychainChangePassword \(typed ?? "<NULL>")") {
            service throws(AgentError) in
            _ = try service.call(SetKeychainPassword(keychain: name, old: old, new: new))
        }
    }

    // MARK: Settings

    private func setSettings() throws -> Int32 {
        let (name, typed) = try oneKeychain()
        let request = SetKeychainSettings(
            keychain: name,
            lockOnSleep: options.has("l"),
            useInterval: options.has("u") || options["t"] != nil,
            // Without -t there is no time, whatever -u says.
            seconds: options["t"].map(ItemArguments.number)
        )
        return try call.answering("SecKeychainSetSettings \(typed ?? "<NULL>")") {
            service throws(AgentError) in
            _ = try service.call(request)
        }
    }

    private func showInfo() throws -> Int32 {
        let (keychain, typed) = try oneKeychain()
        let name = typed ?? "<NULL>"
        return try call.answering("SecKeychainCopySettings \(name)") { service throws(AgentError) in
            let answer = try service.call(GetKeychainSettings(keychain: keychain))
            guard !answer.locked else {
                throw AgentError.failed(
                    AgentFailure(code: SecStatus.errSecInteractionNotAllowed, status: "")
                )
            }
            var line = "Keychain \"\(name)\""
            if answer.lockOnSleep { line += " lock-on-sleep" }
            if answer.useInterval { line += " use-lock-interval" }
            line += answer.seconds.map { " timeout=\($0)s" } ?? " no-timeout"
            call.say(line + "\n", .error)
        }
    }
}

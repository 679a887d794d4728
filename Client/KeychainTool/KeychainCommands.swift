internal import KSEveryday
internal import KSAgent
internal import KSSecurityNames

// The commands about keychains as a whole.
extension Invocation {
    // MARK: The list

    private enum Domain: String, CaseIterable {
        case user, system, common, dynamic
    }

    /// The domain that `-d` names; Linux has only the user's preferences.
    private func domain() throws(UsageError) -> Domain {
        guard let typed = text("d") else { return .user }
        guard !typed.isEmpty,
            let domain = Domain.allCases.first(where: { $0.rawValue.hasPrefix(typed) })
        else { throw UsageError() }
        return domain
    }

    private func checkCanChange(_ domain: Domain) throws(Failure) {
        guard domain == .user else {
            throw Failure("there are no \(domain.rawValue) preferences to change here")
        }
    }

    private func show(_ path: String) {
        say("    \"\(path)\"\n", .output)
    }

    func listKeychains() throws -> Int32 {
        let domain = try domain()
        let result: Int32
        if options.has("s") {
            try checkCanChange(domain)
            let request = SetSearchList(keychains: keychains)
            result = try send(request, as: routine("Set", "SearchList", domain))
        } else {
            guard domain == .user else { return 0 }
            result = try answering(routine("Copy", "SearchList", domain)) {
                service throws(AgentError) in
                for path in try service.call(ListKeychains()).search { show(path) }
            }
        }
        return result == 0 ? 0 : Tool.failed
    }

    func defaultKeychain() throws -> Int32 {
        let domain = try domain()
        guard options.operands.count <= (options.has("s") ? 1 : 0) else { throw UsageError() }
        if options.has("s") {
            try checkCanChange(domain)
            let request = SetDefaultKeychain(keychain: keychains.first)
            return try send(request, as: routine("Set", "Default", domain))
        }
        return try answering(routine("Copy", "Default", domain)) { service throws(AgentError) in
            let answer = try service.call(ListKeychains())
            guard domain == .user, let path = answer.default else {
                throw .refused(SecStatus.errSecNoDefaultKeychain)
            }
            show(path)
        }
    }

    /// The routine that `security` names in errors; it depends on whether a domain is given.
    private func routine(_ verb: String, _ object: String, _ domain: Domain) -> String {
        options["d"] == nil
            ? "SecKeychain\(verb)\(object)"
            : "SecKeychain\(verb)Domain\(object) \(domain.rawValue)"
    }

    func loginKeychain() throws -> Int32 {
        _ = try domain()
        guard !options.has("s") else {
            throw Failure("the login keychain is the device's own and cannot be set")
        }
        guard options.operands.isEmpty else { throw UsageError() }
        return try answering("SecKeychainCopyLogin") { service throws(AgentError) in
            show(try service.call(ListKeychains()).login ?? service.keychain)
        }
    }

    // MARK: Making and deleting

    func createKeychains() throws -> Int32 {
        guard !options.operands.isEmpty else { throw UsageError() }
        guard !options.has("P") else {
            throw Failure("no window can ask for the password; leave -P out to type it here")
        }
        let password =
            try options["p"]
            ?? breakingOff {
                try askTwice("password for new keychain: ", "retype password for new keychain: ")
            }
        return try forEach("SecKeychainCreate") {
            CreateKeychain(keychain: $0, password: password)
        }
    }

    /// Runs `ask`; if that fails, the command ends as if the user had cancelled it at the prompt.
    private func breakingOff(_ ask: () throws -> [UInt8]) throws -> [UInt8] {
        do {
            return try ask()
        } catch var failure as Failure {
            failure.status = Tool.brokenOff
            throw failure
        }
    }

    func deleteKeychains() throws -> Int32 {
        guard !options.operands.isEmpty else { throw UsageError() }
        return try forEach("SecKeychainDelete", isNamed: false) { DeleteKeychain(keychain: $0) }
    }

    /// Makes a call for each named keychain, up to the first that fails.
    ///
    /// `isNamed`: whether an error names the keychain, as `security` does for some routines.
    private func forEach<Call: AgentCall>(
        _ routine: String,
        isNamed: Bool = true,
        _ request: (String) -> Call
    ) throws -> Int32 {
        for (name, typed) in zip(keychains, options.names) {
            let result = try send(request(name), as: isNamed ? "\(routine) \(typed)" : routine)
            if result != 0 { return result }
        }
        return 0
    }

    // MARK: The lock

    /// The keychain operand, at most one, as the daemon takes it and as it was typed.
    func oneKeychain() throws(UsageError) -> (name: String?, typed: String?) {
        guard options.operands.count <= 1 else { throw UsageError() }
        let typed = options.names.first
        return (typed.map(path), typed)
    }

    func lockKeychains() throws -> Int32 {
        if options.has("a") {
            guard options.operands.isEmpty else { throw UsageError() }
            return try send(LockKeychain(all: true), as: "SecKeychainLockAll")
        }
        guard !options.operands.isEmpty else {
            return try send(LockKeychain(), as: "SecKeychainLock <NULL>")
        }
        return try forEach("SecKeychainLock") { LockKeychain(keychain: $0) }
    }

    func unlockKeychain() throws -> Int32 {
        let (name, typed) = try oneKeychain()
        let given = options.has("u") ? [] : options["p"]
        let password =
            try given ?? breakingOff { try ask("password to unlock \(typed ?? "default"): ") }
        return try unlock(name, typed: typed, password: password)
    }

    func unlock(_ name: String?, typed: String?, password: [UInt8]) throws -> Int32 {
        let request = UnlockKeychain(keychain: name, password: password)
        return try send(request, as: "SecKeychainUnlock \(typed ?? "<NULL>")")
    }

    func setKeychainPassword() throws -> Int32 {
        let (name, typed) = try oneKeychain()
        let old = try options["o"] ?? ask("Old Password: ")
        let new = try options["p"] ?? ask("New Password: ")
        if options["p"] == nil {
            guard try ask("Retype New Password: ") == new else { throw Failure.passwordsDiffer }
        }
        let request = SetKeychainPassword(keychain: name, old: old, new: new)
        return try send(request, as: "SecKeychainChangePassword \(typed ?? "<NULL>")")
    }

    // MARK: Settings

    func setKeychainSettings() throws -> Int32 {
        let (name, typed) = try oneKeychain()
        var request = SetKeychainSettings()
        request.keychain = name
        request.lockOnSleep = options.has("l")
        request.useInterval = options.has("u") || options["t"] != nil
        // Only -t sets a time, even with -u.
        request.seconds = options["t"].map(OptionAttributes.number)
        return try send(request, as: "SecKeychainSetSettings \(typed ?? "<NULL>")")
    }

    func showKeychainSettings() throws -> Int32 {
        let (keychain, typed) = try oneKeychain()
        let name = typed ?? "<NULL>"
        return try answering("SecKeychainCopySettings \(name)") { service throws(AgentError) in
            let answer = try service.call(GetKeychainSettings(keychain: keychain))
            guard !answer.locked else { throw .refused(SecStatus.errSecInteractionNotAllowed) }
            var line = "Keychain \"\(name)\""
            if answer.lockOnSleep { line += " lock-on-sleep" }
            if answer.useInterval { line += " use-lock-interval" }
            line += answer.seconds.map { " timeout=\($0)s" } ?? " no-timeout"
            say(line + "\n", .error)
        }
    }
}

internal import KSAgent
internal import KSDigests
internal import KSGenerating
internal import KSImporting
internal import KSKeychain
internal import KSKeychainFiles
internal import KSOneTimeCodes
internal import KSPersonalItems
internal import KSSecretReferences

extension GeneratePassword: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) throws -> GeneratedPassword {
        if let fault = rules.flatMap({ PasswordRules($0).fault }) {
            throw ItemEditError.refused("the password rules cannot be read: \(fault)").agentFailure
        }
        do throws(GeneratingError) {
            let generator = try PasswordGenerator(recipe)
            return GeneratedPassword(
                password: generator.generate(with: SystemRandomSource()),
                entropyBits: Int64(generator.entropyBits)
            )
        } catch {
            throw ItemEditError.refused(error.description).agentFailure
        }
    }

    func answerAtOnce(on daemon: CallHandler, _ caller: Caller) throws -> GeneratedPassword? {
        try answer(on: daemon, caller)
    }

    private var recipe: PasswordRecipe {
        let count = length.map { Int(clamping: $0) }
        if let rules { return .rules(PasswordRules(rules), length: count) }
        switch style {
        case .characters:
            var recipe = CharacterRecipe()
            recipe.length = count ?? recipe.length
            recipe.hasUpper = hasUpper
            recipe.hasDigits = hasDigits
            recipe.hasSymbols = hasSymbols
            recipe.leavesOutLookAlikes = leavesOutLookAlikes
            return .characters(recipe)
        case .syllables: return .syllables(groups: count ?? 4)
        case .words:
            var recipe = WordRecipe()
            recipe.count = count ?? recipe.count
            recipe.separator = separator ?? recipe.separator
            recipe.isCapitalized = isCapitalized
            return .words(recipe)
        }
    }
}

extension GetOneTimeCode: HandledOnQueue {
    func answer(on owner: isolated KeychainOwner, _ caller: Caller) throws -> OneTimeCodeNow {
        let item = PersonalItem(try owner.item(reference))
        if let field, item.field(field) == nil {
            throw ItemEditError.noSuchField(field).agentFailure
        }
        let found = field.map(item.field) ?? item.fields.first { $0.kind == .oneTimeCode }
        guard let found, found.kind == .oneTimeCode else {
            throw ItemEditError.noOneTimeCode.agentFailure
        }
        let code = try found.oneTimeCode()
        let now = Int(DeviceFiles.milliseconds() / 1000)
        return OneTimeCodeNow(
            code: code.code(atSeconds: now),
            next: code.next(atSeconds: now),
            secondsLeft: Int64(code.secondsLeft(atSeconds: now)),
            periodSeconds: Int64(code.periodSeconds)
        )
    }
}

extension ItemField {
    /// The code that the field holds.
    func oneTimeCode() throws -> OneTimeCode {
        do throws(OneTimeCodeError) {
            return try OneTimeCode(String(decoding: value, as: UTF8.self))
        } catch {
            throw ItemEditError.wrongOneTimeCode(error.description).agentFailure
        }
    }
}

extension ReadReferences: HandledOnQueue {
    func answer(on owner: isolated KeychainOwner, _ caller: Caller) throws -> [ReferenceValue] {
        try references.map { try owner.value(of: $0) }
    }
}

extension KeychainOwner {
    /// The value of a reference: of the item with this service or server and account, else of the
    /// one with this title.
    ///
    /// Where no item has the account, it names a value of an item without one: a card or a note has
    /// no user name that could stand in between.
    fileprivate func value(of reference: ReadReferences.Reference) throws -> ReferenceValue {
        var reference = reference
        var namesValue = false
        var found: [Item]
        do throws(ItemStoreError) {
            found = try items(of: reference)
            namesValue = found.isEmpty && reference.kind == .password && !reference.account.isEmpty
            if namesValue {
                reference = .init(
                    place: reference.place,
                    account: "",
                    field: SecretReference.Field(named: reference.account)
                )
                found = try items(of: reference).filter { PersonalItem($0).userName.isEmpty }
            }
        } catch .interactionNotAllowed {
            return ReferenceValue(.locked)
        }
        if namesValue {
            found = try found.filter { item in
                try value(of: reference, in: PersonalItem(item))?.isEmpty == false
            }
        }
        guard let item = found.first else { return ReferenceValue(.missing) }
        // One login may be there twice, as a service of an app and as a site. Logins of two users
        // have one password only until one of them changes it.
        let values = try Set(found.map { try value(of: reference, in: PersonalItem($0)) })
        let users = Set(found.map { PersonalItem($0).userName })
        guard found.count == 1 || values.count == 1 && users.count == 1 else {
            return ReferenceValue(.ambiguous, count: Int64(found.count))
        }
        return try value(of: reference, in: PersonalItem(item)).map { ReferenceValue($0) }
            ?? ReferenceValue(.noSuchField)
    }

    private func items(of reference: ReadReferences.Reference) throws(ItemStoreError) -> [Item] {
        let found = try items(of: reference, atPort: nil)
        guard found.isEmpty, let site = WebSite(reference.place), site.port > 0 else {
            return found
        }
        // A site with a port, as lists show it.
        var host = reference
        host.place = site.server
        return try items(of: host, atPort: site.port)
    }

    private func items(
        of reference: ReadReferences.Reference,
        atPort port: UInt16?
    ) throws(ItemStoreError) -> [Item] {
        var found: [Item] = []
        for (itemClass, name) in [
            (ItemClass.genericPassword, AttributeName.service), (.internetPassword, .server),
            (.genericPassword, .label), (.internetPassword, .label),
        ] {
            if name == .label, !found.isEmpty { break }
            if port != nil, name != .server { continue }
            var attributes: [AttributeName: AttributeValue] = [name: .string(reference.place)]
            if let port { attributes[.port] = .integer(Int64(port)) }
            if !reference.account.isEmpty { attributes[.account] = .string(reference.account) }
            let query = KeychainQuery(
                itemClass,
                attributes: attributes,
                synchronizable: .any,
                access: KeychainFile.access,
                wantsSecret: true,
                wantsExtras: true
            )
            found += try keychain.find(query).items
        }
        return found
    }

    private func value(
        of reference: ReadReferences.Reference,
        in item: PersonalItem
    ) throws -> [UInt8]? {
        switch reference.kind {
        case .password: return item.item.secret
        case .userName: return Array(item.userName.utf8)
        // The text of a note is its secret; beside it a note can have one like other items.
        case .note where item.type == .note && item.note.isEmpty: return item.item.secret
        case .note: return Array(item.note.utf8)
        case .oneTimeCode:
            guard let field = item.fields.first(where: { $0.kind == .oneTimeCode }) else {
                return nil
            }
            let now = Int(DeviceFiles.milliseconds() / 1000)
            return Array(try field.oneTimeCode().code(atSeconds: now).utf8)
        case .field:
            guard let name = reference.name else { return nil }
            return item.field(name)?.value ?? (name == item.secretName ? item.item.secret : nil)
        }
    }
}

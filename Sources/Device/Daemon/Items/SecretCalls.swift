internal import KSAgent
internal import KSBytes
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
    /// one with this title, else of the one with this address.
    fileprivate func value(of reference: ReadReferences.Reference) throws -> ReferenceValue {
        let meant: (items: [Item], reference: ReadReferences.Reference)
        do throws(ItemStoreError) {
            meant = try items(meantBy: reference)
        } catch .interactionNotAllowed {
            return ReferenceValue(.locked)
        }
        let found = meant.items
        guard let item = found.first else { return ReferenceValue(.missing) }
        // One login may be there twice, as a service of an app and as a site. Logins of two users
        // have one password only until one of them changes it.
        let values = try Set(found.map { try value(of: meant.reference, in: PersonalItem($0)) })
        let users = Set(found.map { PersonalItem($0).userName })
        guard found.count == 1 || values.count == 1 && users.count == 1 else {
            let texts = try found.prefix(Self.namedItemsMax).compactMap { item in
                try text(naming: item, as: reference, isValue: meant.reference != reference)
            }
            return ReferenceValue(.ambiguous, count: Int64(found.count), references: texts)
        }
        return try value(of: meant.reference, in: PersonalItem(item)).map { ReferenceValue($0) }
            ?? ReferenceValue(.noSuchField)
    }

    /// How many of the items that an ambiguous reference may mean get a reference of their own.
    private static let namedItemsMax = 20

    /// A reference that means this item alone; nil if no reference does.
    ///
    /// `isValue`: whether the reference names a value where others have an account.
    private func text(
        naming item: Item,
        as reference: ReadReferences.Reference,
        isValue: Bool
    ) throws(ItemStoreError) -> String? {
        let personal = PersonalItem(item)
        var reference = reference
        if !isValue { reference.account = personal.userName }
        // What lists show as the item's reference works on this device alone.
        let code = String(hexadecimal: personal.reference)
        for place in ReferencedPlace.texts(for: personal) + [code] {
            reference.place = place
            let found = try items(meantBy: reference).items
            guard found.count == 1, found[0].persistentReference == item.persistentReference else {
                continue
            }
            return reference.secretReference.description
        }
        return nil
    }

    /// The items that a reference may mean, and which value of them.
    ///
    /// Where no item has the account, it names a value of an item without one: a card or a note has
    /// no user name that could stand in between.
    private func items(
        meantBy reference: ReadReferences.Reference
    ) throws(ItemStoreError) -> (items: [Item], reference: ReadReferences.Reference) {
        let found = try items(of: reference)
        guard found.isEmpty, reference.kind == .password, !reference.account.isEmpty else {
            return (found, reference)
        }
        let field = SecretReference.Field(named: reference.account)
        let value = ReadReferences.Reference(place: reference.place, account: "", field: field)
        let others = try items(of: value).filter { item in
            let item = PersonalItem(item)
            // A one-time code that cannot be read is one; its value says so.
            let own = try? self.value(of: value, in: item)
            return item.userName.isEmpty && own?.isEmpty != true
        }
        return (others, value)
    }

    private func items(
        of reference: ReadReferences.Reference
    ) throws(ItemStoreError) -> [Item] {
        let found = try items(
            with: [.service, .server, .label],
            equalTo: reference.place,
            account: reference.account
        )
        guard found.isEmpty else { return found }
        let code = [UInt8](hexadecimal: reference.place.utf8) ?? []
        // Without such an item, the place may still be a host or a title.
        if code.count == Self.codeByteCount, let item = try? item(code),
            item.itemClass.isPassword
        {
            let isFitting = [PersonalItem(item).userName, ""].contains(reference.account)
            return isFitting ? [item] : []
        }
        let place = ReferencedPlace(reference.place)
        guard place.isAddress || place.isSynced != nil else { return [] }
        var near = try items(
            with: place.isAddress ? [.server] : [.service, .server, .label],
            equalTo: place.server,
            account: reference.account
        ).filter { place.fits(PersonalItem($0)) }
        // People and browsers write hosts in small letters.
        if near.isEmpty, place.isAddress, place.server != place.server.lowercased() {
            near = try items(
                with: [.server],
                equalTo: place.server.lowercased(),
                account: reference.account
            ).filter { place.fits(PersonalItem($0)) }
        }
        return near
    }

    /// Of a persistent reference.
    private static let codeByteCount = 20

    /// The passwords with this service or server; without such, those with this title.
    private func items(
        with names: Set<AttributeName>,
        equalTo text: String,
        account: String
    ) throws(ItemStoreError) -> [Item] {
        var found: [Item] = []
        for (itemClass, name) in [
            (ItemClass.genericPassword, AttributeName.service), (.internetPassword, .server),
            (.genericPassword, .label), (.internetPassword, .label),
        ] where names.contains(name) {
            if name == .label, !found.isEmpty { break }
            var attributes: [AttributeName: AttributeValue] = [name: .string(text)]
            if !account.isEmpty { attributes[.account] = .string(account) }
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

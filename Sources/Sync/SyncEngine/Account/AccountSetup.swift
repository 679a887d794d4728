package import KSDigests
package import KSPrimitives
package import KSRecords
package import KSSealing
package import KSTransport
internal import KSWire

/// Why a device could not join an account, by what its user can do about it.
///
/// Errors of the calls and of the device's own keys are thrown as they are: ``ServerError``,
/// ``SealingError``.
package enum AccountSetupError: Error, Equatable {
    /// The password, the Account Key or the account name is wrong: the server does not say which.
    case credentialsRefused
    /// The server's data for the account are not authentic or inconsistent; nothing was saved.
    case accountNotAuthentic
    /// The account has a newer format than this program knows.
    case updateThisClient
    /// Other devices kept changing the circle; try again.
    case circleBusy
    /// The account has as many devices as it can have.
    case accountFull
    /// A device has signed false keys for the others, and nobody can log in before it is removed:
    /// ``FalseEntry``.
    case falseKeys(AccountDevice)
    /// The account or device name is empty or too long.
    case nameRefused
    /// The name is taken, perhaps by an earlier sign-up from here that got no answer.
    case unfinishedSignUp
}

/// Makes an account, or adds a device to one by password and Account Key.
package struct AccountSetup: Sendable {
    /// Of each call.
    private static let attemptsMax = 3
    /// Of a login, in which a removal of devices is one.
    private static let loginAttemptsMax = 5
    private static let deviceNameBytesMax = 128

    let client: ServerClient
    let server: ServerEndpoint
    let names: EnrolledNames
    let random: any RandomSource
    private let cost: ScryptCost

    /// `cost`: other than the default only in tests.
    package init(
        client: ServerClient,
        server: ServerEndpoint,
        names: EnrolledNames,
        random: any RandomSource,
        cost: ScryptCost = .k1
    ) {
        (self.client, self.server, self.names, self.random) = (client, server, names, random)
        self.cost = cost
    }

    /// Saves a sign-up without sending it, unless an unanswered one is saved already.
    ///
    /// Returns the Account Key that ``signUp(password:invitation:drafts:)`` will use with this
    /// password, so that the caller can store the key before the account exists. A sign-up that the
    /// server would refuse has no key.
    package func prepareSignUp(
        password: [UInt8],
        invitation: String = "",
        drafts: any SignUpDraftKeeping
    ) async throws -> AccountKey {
        try await checkNewAccount(password, invitation: invitation, drafts: drafts)
        return try await draft(password, in: drafts).draft.accountKey
    }

    /// Makes a new account with this device as its first.
    ///
    /// The sign-up is in `drafts` before it is sent, and is sent again if it got no answer. So this
    /// device has the keys of every account that the server accepted. If it fails before anything
    /// was sent, its draft says so again: no account can exist for it.
    ///
    /// The password is in UTF-8, as typed; the invitation is empty if the server asks for none. The
    /// caller has to show the Account Key of the result to the user.
    package func signUp(
        password: [UInt8],
        invitation: String = "",
        drafts: any SignUpDraftKeeping
    ) async throws -> Enrollment {
        let prepared = try await draft(password, in: drafts)
        let draft = prepared.draft
        let circle = try authentic { try CircleChain(verifying: [draft.change.entry]) }
        var isUnsent = !draft.wasSent
        if isUnsent {
            try await drafts.replaceSignUpDrafts(
                SignUpDraft.marking(draft, wasSent: true, in: prepared.kept)
            )
        }
        let epoch: StoreEpoch
        do {
            epoch = try await retrying { () async throws(ServerError) in
                let proof = UnsentProof()
                // Of several attempts each one counts.
                defer { isUnsent = isUnsent && proof.isProven }
                return try await client.signUp(
                    account: draft.account,
                    name: draft.names.account,
                    change: draft.change,
                    invitation: invitation,
                    unsentProof: proof
                )
            }
        } catch ServerError.refused(let code, _, _)
            where !code.isWorthRetrying && !code.isAboutVersions
        {
            // This sign-up made no account, and never will. After any other error the server may
            // have accepted it, or accept it yet.
            let kept = prepared.kept.filter { $0 != draft }
            try await drafts.replaceSignUpDrafts(kept)
            if code == .nameTaken,
                kept.contains(where: { $0.wasSent && $0.isFor(names, on: server) })
            {
                throw AccountSetupError.unfinishedSignUp
            }
            throw ServerError.refused(code)
        } catch let error where isUnsent {
            try await drafts.replaceSignUpDrafts(
                SignUpDraft.marking(draft, wasSent: false, in: prepared.kept)
            )
            throw error
        }
        return Enrollment(
            account: draft.account,
            names: draft.names,
            server: server,
            identity: draft.identity,
            accountKey: draft.accountKey,
            keyRing: draft.keyRing,
            circle: circle,
            epoch: epoch,
            newestChange: draft.change
        )
    }

    /// The sign-up to send, and all saved ones.
    private func draft(
        _ password: [UInt8],
        in drafts: any SignUpDraftKeeping
    ) async throws -> (draft: SignUpDraft, kept: [SignUpDraft]) {
        try checkNames()
        var kept = try await drafts.signUpDrafts()
        if let earlier = try unanswered(kept, password) { return (earlier, kept) }
        let draft = try newDraft(password)
        kept = SignUpDraft.adding(draft, to: kept)
        try await drafts.replaceSignUpDrafts(kept)
        return (draft, kept)
    }

    /// The unanswered sign-up with this name and password, if there is one.
    func unanswered(
        _ drafts: [SignUpDraft],
        _ password: [UInt8]
    ) throws(SealingError) -> SignUpDraft? {
        for draft in drafts.reversed() where draft.isFor(names, on: server) {
            if draft.admits(try credentials(password, draft.accountKey)) { return draft }
        }
        return nil
    }

    private func newDraft(_ password: [UInt8]) throws(SealingError) -> SignUpDraft {
        let account = AccountID(validated: random.bytes(AccountID.byteCount))
        let accountKey = AccountKey.random(from: random)
        let identity = DeviceIdentity.random(from: random)
        let keyRing = KeyRing.random(from: random)
        let credentials = try credentials(password, accountKey)
        return SignUpDraft(
            account: account,
            names: names,
            server: server,
            identity: identity,
            accountKey: accountKey,
            keyRing: keyRing,
            change: try CircleAuthoring.genesis(
                account: account,
                device: identity,
                deviceName: names.device,
                credentials: credentials,
                keyRing: keyRing,
                random: random
            )
        )
    }

    /// Adds this device to an account.
    ///
    /// - Parameters:
    ///   - password: in UTF-8, as typed.
    ///   - accountKey: the account's.
    ///   - check: throws if this device may not join the account, before anything is changed there.
    ///   - chosen: which devices the user wants removed from the account first.
    /// - Throws: ``AccountSetupError``, ``ServerError``, and what `check` and `chosen` throw; if
    ///   devices were removed before, ``LoginAfterRemoval``.
    /// - Returns: what the device has to save.
    package func logIn(
        password: [UInt8],
        accountKey: AccountKey,
        checking check: @Sendable (AccountID) async throws -> Void = { _ in },
        removing chosen: DeviceChoosing = { _, _ in [] }
    ) async throws -> Enrollment {
        var removals = Removals()
        do {
            return try await logIn(password, accountKey, check, removing: chosen, &removals)
        } catch {
            guard !removals.gone.isEmpty else { throw error }
            throw LoginAfterRemoval(removed: removals.gone, error: error)
        }
    }

    private func logIn(
        _ password: [UInt8],
        _ accountKey: AccountKey,
        _ check: @Sendable (AccountID) async throws -> Void,
        removing chosen: DeviceChoosing,
        _ removals: inout Removals
    ) async throws -> Enrollment {
        try checkNames()
        let credentials = try self.credentials(password, accountKey)
        let signer = CircleSigner.credentials(credentials)
        let session = try await retrying { () async throws(ServerError) in
            try await client.openSession(account: Array(names.account.utf8), signer: signer)
        }
        try await check(session.account)
        let identity = DeviceIdentity.random(from: random)
        for _ in 0..<Self.loginAttemptsMax {
            let answer = try await retrying { () async throws(ServerError) in
                try await client.circle(after: 0, token: session.token).message
            }
            guard let opened = try open(answer, session, credentials) else {
                try await repair(answer, session, credentials, removing: chosen, &removals)
                continue
            }
            let present = opened.chain.devices(opened.keyRing)
            removals.see(present)
            let named = try chosen(present, removals.gone).filter(present.contains)
            guard named.isEmpty else {
                try await remove(named, from: opened, session, credentials, &removals)
                continue
            }
            guard let joined = try await join(opened, identity, session, signer) else { continue }
            return Enrollment(
                account: session.account,
                names: EnrolledNames(account: names.account, device: joined.name),
                server: server,
                identity: identity,
                accountKey: accountKey,
                keyRing: try await withVoidKeys(opened, answer, session, credentials).keyRing,
                circle: joined.circle,
                epoch: answer.epoch,
                newestChange: joined.change,
                removed: removals.gone
            )
        }
        throw AccountSetupError.circleBusy
    }

    /// Adds this device to the circle; nil if another device has changed the circle meanwhile.
    ///
    /// If an earlier answer was lost, the device is a member already.
    private func join(
        _ opened: OpenedAccount,
        _ identity: DeviceIdentity,
        _ session: ServerSession,
        _ signer: CircleSigner
    ) async throws -> (circle: CircleChain, name: String, change: CircleChange?)? {
        var circle = opened.chain
        if let member = circle.newest.member(identity.memberID) {
            let name = try authentic {
                try MemberName.open(of: member, account: session.account, keyRing: opened.keyRing)
            }
            return (circle, name, nil)
        }
        guard circle.newest.members.count < Limits.membersMax else {
            throw AccountSetupError.accountFull
        }
        let name = freeName(in: opened)
        let change = try authentic {
            try CircleAuthoring.addDevice(
                DeviceApplication(of: identity, name: name, to: circle),
                to: circle,
                keyRing: opened.keyRing,
                by: signer,
                random: random
            )
        }
        guard try await extend(opened.chain, by: change, session, signer) else { return nil }
        try authentic { try circle.append(change.entry) }
        return (circle, name, change)
    }

    // MARK: Parts

    /// Sends the circle's next entry; false if another device has changed the circle meanwhile.
    func extend(
        _ chain: CircleChain,
        by change: CircleChange,
        _ session: ServerSession,
        _ signer: CircleSigner
    ) async throws -> Bool {
        try await retrying { () async throws(ServerError) in
            try await client.extendCircle(
                change,
                extending: chain.newest.version,
                account: session.account,
                signer: signer,
                token: session.token
            )
        }
    }

    /// The device's name, with a number appended if another device has the same name.
    private func freeName(in opened: OpenedAccount) -> String {
        let taken = opened.chain.devices(opened.keyRing).compactMap(\.name)
        guard taken.contains(names.device) else { return names.device }
        let free = (2...).lazy.map { "\(names.device) \($0)" }.first { !taken.contains($0) }
        return free ?? names.device
    }

    func checkNames() throws(AccountSetupError) {
        guard !names.account.isEmpty, names.account.utf8.count <= Limits.accountNameBytesMax,
            !names.device.isEmpty, names.device.utf8.count <= Self.deviceNameBytesMax
        else { throw .nameRefused }
    }

    private func credentials(
        _ password: [UInt8],
        _ accountKey: AccountKey
    ) throws(SealingError) -> AccountCredentials {
        try AccountCredentials.derive(password: password, accountKey: accountKey, cost: cost)
    }

    /// Nil if the newest key envelopes may be false.
    private func open(
        _ answer: CircleState,
        _ session: ServerSession,
        _ credentials: AccountCredentials
    ) throws(AccountSetupError) -> OpenedAccount? {
        guard let envelope = answer.envelope else { return nil }
        do throws(SealingError) {
            return try AccountOpening.open(
                account: session.account,
                entries: answer.entries,
                envelope: envelope,
                credentialsBox: answer.credentialsBox ?? [],
                credentials: credentials
            )
        } catch {
            switch error {
            case .updateThisClient: throw .updateThisClient
            case .envelopesForged, .notAuthentic, .malformed: return nil
            default: throw .accountNotAuthentic
            }
        }
    }

    /// Runs `body`, which fails only if the account's data are not authentic.
    func authentic<Result>(
        _ body: () throws -> Result
    ) throws(AccountSetupError) -> Result {
        do {
            return try body()
        } catch {
            throw .accountNotAuthentic
        }
    }

    /// Repeats a call that got no answer; all of these calls are idempotent.
    func retrying<Result: Sendable>(
        _ body: () async throws(ServerError) -> Result
    ) async throws -> Result {
        var attempt = 1
        while true {
            do throws(ServerError) {
                return try await body()
            } catch {
                if case .refused(.refused, _, _) = error {
                    throw AccountSetupError.credentialsRefused
                }
                // If the server asks for a wait, the user has to try again later.
                guard error.isWorthRetrying, error.retryAfterSeconds == nil,
                    attempt < Self.attemptsMax
                else { throw error }
                attempt += 1
            }
        }
    }
}

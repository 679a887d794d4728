internal import KSDigests
package import KSMerging
package import KSRecords
package import KSStore
internal import KSWire

extension PostgreSQLStore {
    package func probe() throws(StoreError) {
        guard try run(.server)[0].first != nil else { throw .damaged }
    }

    package func useNonce(_ nonce: [UInt8], expirySeconds: UInt64) throws(StoreError) -> Bool {
        guard expirySeconds >= clockSeconds(), let expiry = Int64(exactly: expirySeconds) else {
            return false
        }
        // A call of the same nonce is not the same call.
        let call = SystemRandomSource().bytes(16)
        let rows = try run(.useNonce(nonce, expirySeconds: expiry, by: call))
        return rows[0].first?.fields == [call]
    }

    package func createAccount(_ account: NewAccount) throws(StoreError) -> StoreEpoch {
        let lookUpName = try AccountName.lookUpForm(of: account.name)
        let incoming = try IncomingEntry(genesis: account)
        let now = try servedSeconds()
        return try transaction { transaction in
            let named = try transaction.takeName(lookUpName, for: account.id)
            if let existing = named {
                let answers = try transaction.run(
                    .account(existing),
                    .entry(version: 1, of: existing)
                )
                let row = try AccountSnapshot(answers[0])
                guard account.isRetry(of: existing, genesis: try answers[1].entries().first)
                else { throw StoreError.refused(.nameTaken) }
                return row.standing.epoch
            }
            try add(
                account.id,
                named: account.name,
                lookUpName: lookUpName,
                generation: incoming.entry.generation,
                credentialsBox: account.genesis.credentialsBox ?? [],
                nowSeconds: now,
                in: transaction
            )
            transaction.save(
                incoming,
                after: incoming.entry.generation,
                epoch: epoch,
                nowSeconds: now
            )
            return epoch
        }
    }

    package func rebuildAccount(
        _ account: AccountID,
        named name: String,
        from circle: CircleReturn
    ) throws(StoreError) -> UInt64 {
        let lookUpName = try AccountName.lookUpForm(of: name)
        let now = try servedSeconds()
        return try transaction { transaction in
            let named = try transaction.takeName(lookUpName, for: account)
            guard named == nil || named == account else { throw StoreError.refused(.nameTaken) }
            if named == nil {
                try add(
                    account,
                    named: name,
                    lookUpName: lookUpName,
                    // Lower than any that an entry has, so that the newest one begins a generation.
                    generation: 0,
                    credentialsBox: circle.credentialsBox,
                    nowSeconds: now,
                    in: transaction
                )
            }
            return try transaction.putBack(circle, to: account, nowSeconds: now)
        }
    }

    /// Adds an account in the store's epoch, whose circle is saved next.
    ///
    /// - Throws: `name_taken` if the id is taken.
    private func add(
        _ account: AccountID,
        named name: String,
        lookUpName: String,
        generation: UInt64,
        credentialsBox: [UInt8],
        nowSeconds: UInt64,
        in transaction: Transaction
    ) throws {
        let added = try transaction.run(
            .addAccount(
                account,
                named: name,
                lookUpName: lookUpName,
                epoch: epoch,
                generation: generation,
                credentialsBox: credentialsBox,
                nowSeconds: nowSeconds
            )
        )
        guard added[0].count == 1 else { throw StoreError.refused(.nameTaken) }
    }

    package func account(named name: String) throws(StoreError) -> AccountState? {
        let lookUpName = try AccountName.lookUpForm(of: name)
        let rows = try run(.accountID(lookUpName: lookUpName))
        guard let row = rows[0].first else { return nil }
        return try account(rethrowing { try row.fixed(0) })
    }

    package func account(_ id: AccountID) throws(StoreError) -> AccountState? {
        let rows = try run(.accountWithTag(id))
        guard rows[0].first != nil else { return nil }
        return try rethrowing { try AccountSnapshot(rows[0]).state }
    }

    /// Those of these accounts that exist.
    package func accounts(_ ids: [AccountID]) throws(StoreError) -> [AccountState] {
        let rows = try run(.accountsWithTag(ids))
        return try rethrowing {
            try rows[0].rows.map { try AccountSnapshot(Rows(rows: [$0], count: 1)).state }
        }
    }

    package func deleteAccount(_ id: AccountID) throws(StoreError) {
        try transaction { transaction in
            let rows = try transaction.run(.lockAccount(id))
            // An earlier attempt has deleted it.
            if transaction.isRepeated, rows[0].first == nil { return }
            let account = try AccountSnapshot(rows[0])
            transaction.later(.removeName(account.lookUpName, of: id))
            for table in Statement.accountTables {
                transaction.later(.deleteAll(of: id, in: table))
            }
        }
    }

    // MARK: Invitations

    /// Makes a code valid that makes one account, also one that was used.
    package func addInvitation(codeHash: [UInt8]) throws(StoreError) {
        _ = try run(.addInvitation(codeHash))
    }

    /// Whether a code is valid and unused.
    package func hasInvitation(codeHash: [UInt8]) throws(StoreError) -> Bool {
        try run(.validInvitation(codeHash))[0].first != nil
    }

    /// Whether a code was valid, and was used or revoked.
    package func wasInvitationUsed(codeHash: [UInt8]) throws(StoreError) -> Bool {
        try run(.usedInvitation(codeHash))[0].first != nil
    }

    /// Marks a code as used; false if there is no such code, or it was used before.
    package func useInvitation(codeHash: [UInt8]) throws(StoreError) -> Bool {
        let call = SystemRandomSource().bytes(16)
        return try run(.useInvitation(codeHash, by: call))[0].count == 1
    }

    // MARK: The secret

    /// The secret that all servers of the database share; the first one makes it.
    package func secret(byteCount: Int) throws(StoreError) -> [UInt8] {
        // It is read first: while a copy is made nobody can add it.
        var rows = try run(.secret)
        if rows[0].first == nil { rows = try run(.addSecret(random.bytes(byteCount)), .secret) }
        return try rethrowing {
            guard let secret = try rows.last?.first?.bytes(0), secret.count == byteCount else {
                throw StoreError.damaged
            }
            return secret
        }
    }

    /// Makes another secret; servers take it at their next start.
    package func renewSecret(byteCount: Int) throws(StoreError) {
        _ = try run(.setSecret(random.bytes(byteCount)))
    }
}

extension Transaction {
    /// Takes a name for an account.
    ///
    /// - Returns: whose the name is already; nil if it was free.
    fileprivate func takeName(_ lookUpName: String, for account: AccountID) throws -> AccountID? {
        // Another sign-up under the name is waited for: the second statement sees it.
        let answers = try run(
            .addName(lookUpName, of: account),
            .accountID(lookUpName: lookUpName)
        )
        guard answers[0].count == 0 else { return nil }
        // The account that had the name was deleted between the two statements: once more.
        guard let row = answers[1].first else { throw DatabaseFailure.refused(state: "40001") }
        return try row.fixed(0)
    }
}

/// Converts an error about a stored value into a ``StoreError``.
func rethrowing<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
    do {
        return try body()
    } catch let error as StoreError {
        throw error
    } catch let failure as DatabaseFailure {
        throw failure.storeError
    } catch {
        throw .damaged
    }
}

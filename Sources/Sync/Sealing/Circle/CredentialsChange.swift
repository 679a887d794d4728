package import KSPrimitives
package import KSRecords

/// An account's credentials and those that replace them.
package struct CredentialsChange: Sendable {
    package let old: AccountCredentials
    package let new: AccountCredentials
    /// The Account Key of the new ones.
    package let accountKey: AccountKey

    /// `accountKey`: of the new ones.
    package init(
        from old: AccountCredentials,
        to new: AccountCredentials,
        accountKey: AccountKey
    ) {
        (self.old, self.new, self.accountKey) = (old, new, accountKey)
    }

    /// Derives both, which takes twice as long as ``AccountCredentials``.
    ///
    /// - Parameters:
    ///   - password: the present one, in UTF-8, with the present Account Key.
    ///   - newPassword: the same password if only the Account Key changes.
    ///   - cost: other than the default only in tests.
    /// - Throws: ``SealingError/passwordNotText``.
    package init(
        from password: (text: [UInt8], accountKey: AccountKey),
        to newPassword: (text: [UInt8], accountKey: AccountKey),
        cost: ScryptCost = .k1
    ) throws(SealingError) {
        old = try .derive(password: password.text, accountKey: password.accountKey, cost: cost)
        new = try .derive(
            password: newPassword.text,
            accountKey: newPassword.accountKey,
            cost: cost
        )
        accountKey = newPassword.accountKey
    }
}

extension AccountKey {
    /// The key of the account's credentials, which the circle has since they were last replaced;
    /// nil if they never were.
    ///
    /// - Throws: ``SealingError`` if it does not open.
    package init?(
        of circle: CircleEntry,
        keyRing: KeyRing
    ) throws(SealingError) {
        guard let member = circle.members.first(where: { $0.kind == .credentials }),
            !member.nameBox.isEmpty
        else { return nil }
        let text = try MemberName.open(of: member, account: circle.account, keyRing: keyRing)
        try self.init(parsing: text)
    }
}

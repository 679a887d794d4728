package import KSSealing

/// The context to which a sealed half of a row is bound: it opens in no other.
package struct ItemRowContext: Hashable, Sendable {
    package enum Part: Sendable {
        case attributes
        case secret
    }

    /// 16 random bytes that name the row for life.
    package var row: [UInt8]
    package var part: Part
    package var table: String
    package var accessibility: ProtectionClass
    /// The digest of the access group from the row's search column: the row opens without the
    /// group's name, but not after its group was swapped.
    package var accessGroup: [UInt8]
    /// 16 random bytes, new with each write, so that halves of two writes do not fit together.
    package var revision: [UInt8]
}

/// Seals the halves of rows under the keys of their protection classes.
package protocol RowSealing: Sendable {
    /// - Throws: ``KeychainError/interactionNotAllowed`` while the class is locked,
    ///   ``KeychainError/passcodeNotSet`` for WhenPasscodeSet where there is none.
    func seal(_ text: [UInt8], _ context: ItemRowContext) throws(KeychainError) -> [UInt8]
    /// - Throws: ``KeychainError/interactionNotAllowed`` while the class is locked,
    ///   ``KeychainError/decode`` when the box was changed or belongs elsewhere.
    func open(_ box: [UInt8], _ context: ItemRowContext) throws(KeychainError) -> [UInt8]
}

/// Makes the digests of the search columns: they show which values are equal, but no names.
package protocol SearchDigesting: Sendable {
    /// Whether rows of the two Always classes may be written before the first unlock, without
    /// columns whose keys are missing: ``Keychain/completeAlwaysDigests()`` fills them in later.
    var isCompletedAtUnlock: Bool { get }

    /// 16 bytes of a digest under the key of this table and column.
    ///
    /// - Throws: ``KeychainError/interactionNotAllowed`` before the first unlock.
    func digest(
        type: UInt64,
        value: [UInt8],
        table: String,
        column: String
    ) throws(KeychainError) -> [UInt8]

    /// The same under a key that is there before the first unlock.
    ///
    /// Only for rows of the two Always classes, which have to be found then.
    func alwaysReadableDigest(
        type: UInt64,
        value: [UInt8],
        table: String,
        column: String
    ) throws(KeychainError) -> [UInt8]
}

extension SearchDigesting {
    package var isCompletedAtUnlock: Bool { false }
}

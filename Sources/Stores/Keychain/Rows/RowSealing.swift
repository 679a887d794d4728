package import KSDeviceKeys

/// Seals the halves of rows under the keys of their classes, and digests what searches compare.
///
/// The digests show which values are equal, but no names.
package protocol RowSealing: Sendable {
    /// - Throws: ``KeychainError/interactionNotAllowed`` while the class is locked,
    ///   ``KeychainError/passcodeNotSet`` for WhenPasscodeSet where there is none.
    func seal(_ text: [UInt8], _ context: RowContext) throws(ItemStoreError) -> [UInt8]
    /// - Throws: ``KeychainError/interactionNotAllowed`` while the class is locked,
    ///   ``KeychainError/decode`` when the box was changed or belongs elsewhere.
    func open(_ box: [UInt8], _ context: RowContext) throws(ItemStoreError) -> [UInt8]

    /// Whether rows of the two Always classes may be written before the first unlock, without
    /// columns whose keys are missing: ``Keychain/completeAlwaysDigests()`` fills them in later.
    var isCompletedAtUnlock: Bool { get }

    /// 16 bytes of a digest under the key of this table and column.
    ///
    /// `isAlwaysReadable`: whether to use a key that is there before the first unlock. Only rows of
    /// the two Always classes have such digests, because they have to be found then.
    ///
    /// - Throws: ``KeychainError/interactionNotAllowed`` for other digests before the first unlock.
    func digest(
        type: UInt64,
        value: [UInt8],
        table: String,
        column: String,
        isAlwaysReadable: Bool
    ) throws(ItemStoreError) -> [UInt8]
}

package import KSSealing
internal import KSDigests
internal import KSRecords

/// Where a sealed half-row belongs: in any other place it does not open.
package struct RowContext: Hashable, Sendable {
    /// What is sealed apart in a row, so that attributes can be read without the secret, and the
    /// secret without what may be large.
    package enum Part: UInt64, Sendable {
        case attributes = 1
        case secret = 2
        case extras = 3
    }

    package static let idByteCount = 16
    private static let format: UInt64 = 1

    package let rowID: [UInt8]
    package let part: Part
    package let table: String
    package let protectionClass: ProtectionClass
    package let accessGroup: String
    /// Random bytes of each change, so that no older half passes for the newest.
    package let revision: [UInt8]

    /// Row id and revision are 16 bytes each.
    package init(
        rowID: [UInt8],
        part: Part,
        table: String,
        protectionClass: ProtectionClass,
        accessGroup: String,
        revision: [UInt8]
    ) {
        precondition(rowID.count == Self.idByteCount && revision.count == Self.idByteCount)
        self.rowID = rowID
        self.part = part
        self.table = table
        self.protectionClass = protectionClass
        self.accessGroup = accessGroup
        self.revision = revision
    }

    var encoded: [UInt8] {
        var encoder = CanonicalEncoder(capacity: 256)
        encoder.bytes(rowID)
        encoder.integer(part.rawValue)
        encoder.string(table)
        encoder.integer(protectionClass.rawValue)
        encoder.string(accessGroup)
        encoder.bytes(revision)
        encoder.integer(Self.format)
        return encoder.encoded
    }
}

/// Seals what a device keeps on its disk, each half-row under its protection class.
///
/// Keys are looked up at each use, so that a cipher stays valid through locking and unlocking.
package struct RowCipher: Sendable {
    let keyFile: LocalKeyFile
    let random: any RandomSource

    /// Checks that rows of a class can be read now.
    ///
    /// - Throws: ``SealingError/classLocked(_:)``, or ``SealingError/passcodeNotSet``.
    package func checkKey(of protection: ProtectionClass) throws(SealingError) {
        _ = try keyFile.classKey(protection)
    }

    /// - Throws: ``SealingError/classLocked(_:)``, or ``SealingError/passcodeNotSet`` for
    ///   WhenPasscodeSet on an unlocked device without a passcode.
    package func seal(_ text: [UInt8], _ context: RowContext) throws(SealingError) -> [UInt8] {
        try keyFile.classKey(context.protectionClass).box.seal(
            text,
            purpose: .row,
            context: context.encoded,
            random: random
        )
    }

    /// - Throws: ``SealingError/classLocked(_:)``, ``SealingError/passcodeNotSet`` if the key was
    ///   deleted with the passcode, or ``SealingError/notAuthentic``.
    package func open(_ box: [UInt8], _ context: RowContext) throws(SealingError) -> [UInt8] {
        try keyFile.classKey(context.protectionClass).box.open(
            box,
            purpose: .row,
            context: context.encoded
        )
    }
}

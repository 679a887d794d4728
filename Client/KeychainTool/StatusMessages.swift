internal import KSSecurityNames

/// The sentences that scripts and people know for an OSStatus.
enum StatusMessages {
    static let notFound: Int32 = -25300
    static let duplicate: Int32 = -25299
    static let noSuchKeychain: Int32 = -25294
    static let noDefault: Int32 = -25307
    static let passphraseNeeded: Int32 = -25260
    /// Several are meant where one has to be (`errSecMultiplePrivKeys` is the nearest there is).
    static let ambiguous: Int32 = -25259
    static let locked: Int32 = -25308
    /// Locked, denied, given up by the user.
    static let secretRefused: [Int32] = [-25308, -25293, -128]

    static func text(for status: Int32) -> String {
        status == readOnly ? readOnlyText : SecStatus.message(of: status) ?? "error \(status)"
    }

    private static let readOnly: Int32 = -25292
    /// What `security` prints; Apple's newer sentence is another one.
    private static let readOnlyText = "Read only error."
}

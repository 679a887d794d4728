extension SecConstants {
    /// The classes of items.
    package static let classes: [Entry] = [
        ("kSecClass", "class"),
        ("kSecClassGenericPassword", "genp"),
        ("kSecClassInternetPassword", "inet"),
        ("kSecClassAppleSharePassword", "apls"),
        ("kSecClassCertificate", "cert"),
        ("kSecClassKey", "keys"),
        ("kSecClassIdentity", "idnt"),
    ]
}

// Keychain

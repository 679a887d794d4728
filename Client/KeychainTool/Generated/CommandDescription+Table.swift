// DO NOT EDIT: scripts/generate-tables makes this from options.table.
// swift-format-ignore-file

extension CommandDescription {
    /// In the order of `security help`, on which short forms depend.
    package static let table: [CommandDescription] = [
        CommandDescription(
            name: "help", letters: OptionLetters(valued: ""),
            synopsis: "[command ...]",
            summary: "Show all commands, or show usage for a command."
        ) { try $0.help() },
        CommandDescription(
            name: "list-keychains", letters: OptionLetters(valued: "d", flags: "s"),
            synopsis: "[-d user|system|common|dynamic] [--home DIR] [-s [keychain...]]",
            summary: "Display or manipulate the keychain search list."
        ) { try $0.listKeychains() },
        CommandDescription(
            name: "list-smartcards", letters: OptionLetters(valued: ""),
            synopsis: "",
            summary: ""
        ),
        CommandDescription(
            name: "default-keychain", letters: OptionLetters(valued: "d", flags: "s"),
            synopsis: "[-d user|system|common|dynamic] [--home DIR] [-s [keychain]]",
            summary: "Display or set the default keychain."
        ) { try $0.defaultKeychain() },
        CommandDescription(
            name: "login-keychain", letters: OptionLetters(valued: "d", flags: "s"),
            synopsis: "[-d user|system|common|dynamic] [--home DIR] [-s [keychain]]",
            summary: "Display or set the login keychain."
        ) { try $0.loginKeychain() },
        CommandDescription(
            name: "create-keychain", letters: OptionLetters(valued: "p", flags: "P"),
            synopsis: "[-p password] [--home DIR] [keychains...]",
            summary: "Create keychains."
        ) { try $0.createKeychains() },
        CommandDescription(
            name: "delete-keychain", letters: OptionLetters(valued: ""),
            synopsis: "[--home DIR] [keychains...]",
            summary: "Delete keychains and remove them from the search list."
        ) { try $0.deleteKeychains() },
        CommandDescription(
            name: "lock-keychain", letters: OptionLetters(valued: "", flags: "a"),
            synopsis: "[--home DIR] [-a | keychain]",
            summary: "Lock the specified keychain, or the default keychain."
        ) { try $0.lockKeychains() },
        CommandDescription(
            name: "unlock-keychain", letters: OptionLetters(valued: "p", flags: "u"),
            synopsis: "[-u] [-p password] [--home DIR] [keychain]",
            summary: "Unlock the specified keychain, or the default keychain."
        ) { try $0.unlockKeychain() },
        CommandDescription(
            name: "set-keychain-settings", letters: OptionLetters(valued: "t", flags: "lu"),
            synopsis: "[-lu] [-t timeout] [--home DIR] [keychain]",
            summary: "Set settings for a keychain: what is not given is off."
        ) { try $0.setKeychainSettings() },
        CommandDescription(
            name: "set-keychain-password", letters: OptionLetters(valued: "op"),
            synopsis: "[-o oldPassword] [-p newPassword] [--home DIR] [keychain]",
            summary: "Set the password of a keychain."
        ) { try $0.setKeychainPassword() },
        CommandDescription(
            name: "show-keychain-info", letters: OptionLetters(valued: "", flags: "s"),
            synopsis: "[-s] [--home DIR] [keychain]",
            summary: "Show the settings for a keychain."
        ) { try $0.showKeychainSettings() },
        CommandDescription(
            name: "dump-keychain", letters: OptionLetters(valued: "o", flags: "adri", words: [.synchronizable]),
            synopsis: "[-adri] [-o file] [--sync] [--home DIR] [keychain...]",
            summary: "Dump the contents of one or more keychains."
        ) { try $0.dumpKeychains() },
        CommandDescription(
            name: "recode-keychain", letters: OptionLetters(valued: ""),
            synopsis: "",
            summary: ""
        ),
        CommandDescription(
            name: "create-keypair", letters: OptionLetters(valued: ""),
            synopsis: "",
            summary: ""
        ),
        CommandDescription(
            name: "add-generic-password", letters: OptionLetters(valued: "aswpXlDGjcCT", flags: "AU", asking: "wp", words: [.synchronizable]),
            synopsis: "-a account -s service [-w password | -p password | -X hex] [-l label] [-D kind] [-G generic] [-j comment] [-c creator] [-C type] [-A] [-T app] [-U] [--sync] [--home DIR] [keychain]",
            summary: "Add a generic password. With -w or -p last and no password, it is asked for."
        ) { try $0.addItem(.genericPassword) },
        CommandDescription(
            name: "add-internet-password", letters: OptionLetters(valued: "aswXdpPrtlDjcCT", flags: "AU", asking: "w", words: [.synchronizable]),
            synopsis: "-a account -s server [-w password | -X hex] [-d domain] [-p path] [-P port] [-r protocol] [-t type] [-l label] [-D kind] [-j comment] [-c creator] [-C type] [-A] [-T app] [-U] [--sync] [--home DIR] [keychain]",
            summary: "Add an internet password. With -w last and no password, it is asked for."
        ) { try $0.addItem(.internetPassword) },
        CommandDescription(
            name: "add-certificates", letters: OptionLetters(valued: "k"),
            synopsis: "[-k keychain] [--home DIR] file...",
            summary: "Add certificates of files to a keychain."
        ) { try $0.addCertificates() },
        CommandDescription(
            name: "find-generic-password", letters: OptionLetters(valued: "aslDGjcC", flags: "gw", words: [.synchronizable]),
            synopsis: "[-a account] [-s service] [-l label] [-D kind] [-G generic] [-j comment] [-c creator] [-C type] [-g] [-w] [--sync] [--home DIR] [keychain ...]",
            summary: "Show a generic password: the first that matches."
        ) { try $0.findItem(.genericPassword) },
        CommandDescription(
            name: "delete-generic-password", letters: OptionLetters(valued: "aslDGjcC", flags: "g", words: [.synchronizable]),
            synopsis: "[-a account] [-s service] [-l label] [-D kind] [-G generic] [-j comment] [-c creator] [-C type] [-g] [--sync] [--home DIR] [keychain ...]",
            summary: "Delete a generic password: the first that matches."
        ) { try $0.deleteItem(.genericPassword) },
        CommandDescription(
            name: "set-generic-password-partition-list", letters: OptionLetters(valued: "SkaslDGjcC", asking: "k"),
            synopsis: "-S partitions [-k password] [-a account] [-s service] [-l label] [-D kind] [-G generic] [-j comment] [-c creator] [-C type] [--home DIR] [keychain]",
            summary: "Unlock the keychain and look for the item: no program is asked about here."
        ) { try $0.setPartitions(.genericPassword) },
        CommandDescription(
            name: "find-internet-password", letters: OptionLetters(valued: "asdpPrtlDjcC", flags: "gw", words: [.synchronizable]),
            synopsis: "[-a account] [-s server] [-d domain] [-p path] [-P port] [-r protocol] [-t type] [-l label] [-D kind] [-j comment] [-c creator] [-C type] [-g] [-w] [--sync] [--home DIR] [keychain ...]",
            summary: "Show an internet password: the first that matches."
        ) { try $0.findItem(.internetPassword) },
        CommandDescription(
            name: "delete-internet-password", letters: OptionLetters(valued: "asdpPrtlDjcC", flags: "g", words: [.synchronizable]),
            synopsis: "[-a account] [-s server] [-d domain] [-p path] [-P port] [-r protocol] [-t type] [-l label] [-D kind] [-j comment] [-c creator] [-C type] [-g] [--sync] [--home DIR] [keychain ...]",
            summary: "Delete an internet password: the first that matches."
        ) { try $0.deleteItem(.internetPassword) },
        CommandDescription(
            name: "set-internet-password-partition-list", letters: OptionLetters(valued: "SkasdpPrtlDjcC", asking: "k"),
            synopsis: "-S partitions [-k password] [-a account] [-s server] [-d domain] [-p path] [-P port] [-r protocol] [-t type] [-l label] [-D kind] [-j comment] [-c creator] [-C type] [--home DIR] [keychain]",
            summary: "Unlock the keychain and look for the item: no program is asked about here."
        ) { try $0.setPartitions(.internetPassword) },
        CommandDescription(
            name: "find-key", letters: OptionLetters(valued: "altcDj", flags: "derusvw"),
            synopsis: "[-a label] [-l name] [-t public|private|symmetric] [-c creator] [-D kind] [-j comment] [-derusvw] [--home DIR] [keychain...]",
            summary: "Show the keys that match."
        ) { try $0.findKeys() },
        CommandDescription(
            name: "set-key-partition-list", letters: OptionLetters(valued: "SkaltcDj", flags: "derusvw", asking: "k"),
            synopsis: "-S partitions [-k password] [-a label] [-l name] [-t public|private|symmetric] [-c creator] [-D kind] [-j comment] [-derusvw] [--home DIR] [keychain]",
            summary: "Unlock the keychain and look for the item: no program is asked about here."
        ) { try $0.setPartitions(.key) },
        CommandDescription(
            name: "find-certificate", letters: OptionLetters(valued: "ce", flags: "ampZ"),
            synopsis: "[-a] [-c name] [-e email] [-m] [-p] [-Z] [--home DIR] [keychain...]",
            summary: "Show a certificate: the first that matches, or all with -a."
        ) { try $0.findCertificates() },
        CommandDescription(
            name: "find-identity", letters: OptionLetters(valued: "ps", flags: "v"),
            synopsis: "[-p policy]... [-s string] [-v] [--home DIR] [keychain...]",
            summary: "List certificates that have their private key here."
        ) { try $0.findIdentities() },
        CommandDescription(
            name: "delete-certificate", letters: OptionLetters(valued: "cZ", flags: "t"),
            synopsis: "[-c name] [-Z hash] [-t] [--home DIR] [keychain...]",
            summary: "Delete the one certificate of this name, or part of a name, or hash."
        ) { try $0.deleteCertificate(andKey: false) },
        CommandDescription(
            name: "delete-identity", letters: OptionLetters(valued: "cZ", flags: "t"),
            synopsis: "[-c name] [-Z hash] [-t] [--home DIR] [keychain...]",
            summary: "Delete the one certificate of this name, or part of a name, or hash, and its key."
        ) { try $0.deleteCertificate(andKey: true) },
        CommandDescription(
            name: "set-identity-preference", letters: OptionLetters(valued: ""),
            synopsis: "",
            summary: ""
        ),
        CommandDescription(
            name: "get-identity-preference", letters: OptionLetters(valued: ""),
            synopsis: "",
            summary: ""
        ),
        CommandDescription(
            name: "create-db", letters: OptionLetters(valued: ""),
            synopsis: "",
            summary: ""
        ),
        CommandDescription(
            name: "export", letters: OptionLetters(valued: "ktfPo", flags: "wp"),
            synopsis: "[-k keychain] [-t certs|allKeys|pubKeys|privKeys|identities|all] [-f openssl|pkcs7|pkcs8|pkcs12|raw|x509|pemseq] [-w] [-p] [-P passphrase] [-o file] [--home DIR]",
            summary: "Export certificates and keys from a keychain; passwords never are."
        ) { try $0.export() },
        CommandDescription(
            name: "import", letters: OptionLetters(valued: "ktfPT", flags: "wxA", paired: "a"),
            synopsis: "file [-k keychain] [-t pub|priv|cert|agg] [-f openssl|pkcs7|pkcs8|pkcs12|x509|pemseq] [-w] [-x] [-P passphrase] [-a name value] [-A] [-T app] [--home DIR]",
            summary: "Import certificates and keys into a keychain."
        ) { try $0.importFile() },
        CommandDescription(
            name: "export-smartcard", letters: OptionLetters(valued: ""),
            synopsis: "",
            summary: ""
        ),
        CommandDescription(
            name: "cms", letters: OptionLetters(valued: ""),
            synopsis: "",
            summary: ""
        ),
        CommandDescription(
            name: "install-mds", letters: OptionLetters(valued: ""),
            synopsis: "",
            summary: ""
        ),
        CommandDescription(
            name: "add-trusted-cert", letters: OptionLetters(valued: ""),
            synopsis: "",
            summary: ""
        ),
        CommandDescription(
            name: "remove-trusted-cert", letters: OptionLetters(valued: ""),
            synopsis: "",
            summary: ""
        ),
        CommandDescription(
            name: "dump-trust-settings", letters: OptionLetters(valued: ""),
            synopsis: "",
            summary: ""
        ),
        CommandDescription(
            name: "user-trust-settings-enable", letters: OptionLetters(valued: ""),
            synopsis: "",
            summary: ""
        ),
        CommandDescription(
            name: "trust-settings-export", letters: OptionLetters(valued: ""),
            synopsis: "",
            summary: ""
        ),
        CommandDescription(
            name: "trust-settings-import", letters: OptionLetters(valued: ""),
            synopsis: "",
            summary: ""
        ),
        CommandDescription(
            name: "verify-cert", letters: OptionLetters(valued: ""),
            synopsis: "",
            summary: ""
        ),
        CommandDescription(
            name: "authorize", letters: OptionLetters(valued: ""),
            synopsis: "",
            summary: ""
        ),
        CommandDescription(
            name: "authorizationdb", letters: OptionLetters(valued: ""),
            synopsis: "",
            summary: ""
        ),
        CommandDescription(
            name: "execute-with-privileges", letters: OptionLetters(valued: ""),
            synopsis: "",
            summary: ""
        ),
        CommandDescription(
            name: "leaks", letters: OptionLetters(valued: ""),
            synopsis: "",
            summary: ""
        ),
        CommandDescription(
            name: "error", letters: OptionLetters(valued: ""),
            synopsis: "code [code ...]",
            summary: "Say what an error code means."
        ) { try $0.explainErrors() },
        CommandDescription(
            name: "protect", letters: OptionLetters(valued: "o", words: [.protection]),
            synopsis: "file --class complete|unless-open|until-first-unlock|none [-o output] [--home DIR]",
            summary: "Seal a file, so that it can be read only while this device allows it."
        ) { try $0.protectFile() },
        CommandDescription(
            name: "unprotect", letters: OptionLetters(valued: "o"),
            synopsis: "file [-o output] [--home DIR]",
            summary: "Open a file that was sealed."
        ) { try $0.unprotectFile() },
        CommandDescription(
            name: "rpc", letters: OptionLetters(valued: ""),
            synopsis: "[--home DIR] [--test]",
            summary: "Answer SecItem calls as JSON, a request a line."
        ),
    ]
}

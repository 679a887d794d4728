// DO NOT EDIT: scripts/generate-tables makes this from options.table.
// swift-format-ignore-file

extension CommandDescription {
    /// In the order of `security help`, on which short forms depend.
    static let table: [CommandDescription] = [
        CommandDescription(
            "help", .help, OptionLetters(valued: ""),
            "[command ...]",
            "Show all commands, or show usage for a command."
        ),
        CommandDescription(
            "list-keychains", .keychains(.list), OptionLetters(valued: "d", flags: "s"),
            "[-d user|system|common|dynamic] [--home DIR] [-s [keychain...]]",
            "Display or manipulate the keychain search list."
        ),
        CommandDescription(
            "list-smartcards", .missing, OptionLetters(valued: ""),
            "",
            ""
        ),
        CommandDescription(
            "default-keychain", .keychains(.byDefault), OptionLetters(valued: "d", flags: "s"),
            "[-d user|system|common|dynamic] [--home DIR] [-s [keychain]]",
            "Display or set the default keychain."
        ),
        CommandDescription(
            "login-keychain", .keychains(.login), OptionLetters(valued: "d", flags: "s"),
            "[-d user|system|common|dynamic] [--home DIR] [-s [keychain]]",
            "Display or set the login keychain."
        ),
        CommandDescription(
            "create-keychain", .keychains(.create), OptionLetters(valued: "p", flags: "P"),
            "[-p password] [--home DIR] [keychains...]",
            "Create keychains."
        ),
        CommandDescription(
            "delete-keychain", .keychains(.delete), OptionLetters(valued: ""),
            "[--home DIR] [keychains...]",
            "Delete keychains and remove them from the search list."
        ),
        CommandDescription(
            "lock-keychain", .keychains(.lock), OptionLetters(valued: "", flags: "a"),
            "[--home DIR] [-a | keychain]",
            "Lock the specified keychain, or the default keychain."
        ),
        CommandDescription(
            "unlock-keychain", .keychains(.unlock), OptionLetters(valued: "p", flags: "u"),
            "[-u] [-p password] [--home DIR] [keychain]",
            "Unlock the specified keychain, or the default keychain."
        ),
        CommandDescription(
            "set-keychain-settings", .keychains(.setSettings), OptionLetters(valued: "t", flags: "lu"),
            "[-lu] [-t timeout] [--home DIR] [keychain]",
            "Set settings for a keychain: what is not given is off."
        ),
        CommandDescription(
            "set-keychain-password", .keychains(.setPassword), OptionLetters(valued: "op"),
            "[-o oldPassword] [-p newPassword] [--home DIR] [keychain]",
            "Set the password of a keychain."
        ),
        CommandDescription(
            "show-keychain-info", .keychains(.showInfo), OptionLetters(valued: "", flags: "s"),
            "[-s] [--home DIR] [keychain]",
            "Show the settings for a keychain."
        ),
        CommandDescription(
            "dump-keychain", .dump, OptionLetters(valued: "o", flags: "adri", words: [.synchronizable]),
            "[-adri] [-o file] [--sync] [--home DIR] [keychain...]",
            "Dump the contents of one or more keychains."
        ),
        CommandDescription(
            "recode-keychain", .missing, OptionLetters(valued: ""),
            "",
            ""
        ),
        CommandDescription(
            "create-keypair", .missing, OptionLetters(valued: ""),
            "",
            ""
        ),
        CommandDescription(
            "add-generic-password", .add(.genericPassword), OptionLetters(valued: "aswpXlDGjcCT", flags: "AU", asking: "wp", words: [.synchronizable]),
            "-a account -s service [-w password | -p password | -X hex] [-l label] [-D kind] [-G generic] [-j comment] [-c creator] [-C type] [-A] [-T app] [-U] [--sync] [--home DIR] [keychain]",
            "Add a generic password. With -w or -p last and no password, it is asked for."
        ),
        CommandDescription(
            "add-internet-password", .add(.internetPassword), OptionLetters(valued: "aswXdpPrtlDjcCT", flags: "AU", asking: "w", words: [.synchronizable]),
            "-a account -s server [-w password | -X hex] [-d domain] [-p path] [-P port] [-r protocol] [-t type] [-l label] [-D kind] [-j comment] [-c creator] [-C type] [-A] [-T app] [-U] [--sync] [--home DIR] [keychain]",
            "Add an internet password. With -w last and no password, it is asked for."
        ),
        CommandDescription(
            "add-certificates", .addCertificates, OptionLetters(valued: "k"),
            "[-k keychain] [--home DIR] file...",
            "Add certificates of files to a keychain."
        ),
        CommandDescription(
            "find-generic-password", .find(.genericPassword), OptionLetters(valued: "aslDGjcC", flags: "gw", words: [.synchronizable]),
            "[-a account] [-s service] [-l label] [-D kind] [-G generic] [-j comment] [-c creator] [-C type] [-g] [-w] [--sync] [--home DIR] [keychain ...]",
            "Show a generic password: the first that matches."
        ),
        CommandDescription(
            "delete-generic-password", .delete(.genericPassword), OptionLetters(valued: "aslDGjcC", flags: "g", words: [.synchronizable]),
            "[-a account] [-s service] [-l label] [-D kind] [-G generic] [-j comment] [-c creator] [-C type] [-g] [--sync] [--home DIR] [keychain ...]",
            "Delete a generic password: the first that matches."
        ),
        CommandDescription(
            "set-generic-password-partition-list", .setPartitions(.genericPassword), OptionLetters(valued: "SkaslDGjcC", asking: "k"),
            "-S partitions [-k password] [-a account] [-s service] [-l label] [-D kind] [-G generic] [-j comment] [-c creator] [-C type] [--home DIR] [keychain]",
            "Unlock the keychain and look for the item: no program is asked about here."
        ),
        CommandDescription(
            "find-internet-password", .find(.internetPassword), OptionLetters(valued: "asdpPrtlDjcC", flags: "gw", words: [.synchronizable]),
            "[-a account] [-s server] [-d domain] [-p path] [-P port] [-r protocol] [-t type] [-l label] [-D kind] [-j comment] [-c creator] [-C type] [-g] [-w] [--sync] [--home DIR] [keychain ...]",
            "Show an internet password: the first that matches."
        ),
        CommandDescription(
            "delete-internet-password", .delete(.internetPassword), OptionLetters(valued: "asdpPrtlDjcC", flags: "g", words: [.synchronizable]),
            "[-a account] [-s server] [-d domain] [-p path] [-P port] [-r protocol] [-t type] [-l label] [-D kind] [-j comment] [-c creator] [-C type] [-g] [--sync] [--home DIR] [keychain ...]",
            "Delete an internet password: the first that matches."
        ),
        CommandDescription(
            "set-internet-password-partition-list", .setPartitions(.internetPassword), OptionLetters(valued: "SkasdpPrtlDjcC", asking: "k"),
            "-S partitions [-k password] [-a account] [-s server] [-d domain] [-p path] [-P port] [-r protocol] [-t type] [-l label] [-D kind] [-j comment] [-c creator] [-C type] [--home DIR] [keychain]",
            "Unlock the keychain and look for the item: no program is asked about here."
        ),
        CommandDescription(
            "find-key", .certificates(.findKey), OptionLetters(valued: "altcDj", flags: "derusvw"),
            "[-a label] [-l name] [-t public|private|symmetric] [-c creator] [-D kind] [-j comment] [-derusvw] [--home DIR] [keychain...]",
            "Show the keys that match."
        ),
        CommandDescription(
            "set-key-partition-list", .setPartitions(.key), OptionLetters(valued: "SkaltcDj", flags: "derusvw", asking: "k"),
            "-S partitions [-k password] [-a label] [-l name] [-t public|private|symmetric] [-c creator] [-D kind] [-j comment] [-derusvw] [--home DIR] [keychain]",
            "Unlock the keychain and look for the item: no program is asked about here."
        ),
        CommandDescription(
            "find-certificate", .certificates(.find), OptionLetters(valued: "ce", flags: "ampZ"),
            "[-a] [-c name] [-e email] [-m] [-p] [-Z] [--home DIR] [keychain...]",
            "Show a certificate: the first that matches, or all with -a."
        ),
        CommandDescription(
            "find-identity", .certificates(.findIdentity), OptionLetters(valued: "ps", flags: "v"),
            "[-p policy]... [-s string] [-v] [--home DIR] [keychain...]",
            "List certificates that have their private key here."
        ),
        CommandDescription(
            "delete-certificate", .certificates(.delete), OptionLetters(valued: "cZ", flags: "t"),
            "[-c name] [-Z hash] [-t] [--home DIR] [keychain...]",
            "Delete the one certificate of this name, or part of a name, or hash."
        ),
        CommandDescription(
            "delete-identity", .certificates(.deleteIdentity), OptionLetters(valued: "cZ", flags: "t"),
            "[-c name] [-Z hash] [-t] [--home DIR] [keychain...]",
            "Delete the one certificate of this name, or part of a name, or hash, and its key."
        ),
        CommandDescription(
            "set-identity-preference", .missing, OptionLetters(valued: ""),
            "",
            ""
        ),
        CommandDescription(
            "get-identity-preference", .missing, OptionLetters(valued: ""),
            "",
            ""
        ),
        CommandDescription(
            "create-db", .missing, OptionLetters(valued: ""),
            "",
            ""
        ),
        CommandDescription(
            "export", .export, OptionLetters(valued: "ktfPo", flags: "wp"),
            "[-k keychain] [-t certs|allKeys|pubKeys|privKeys|identities|all] [-f openssl|pkcs7|pkcs8|pkcs12|raw|x509|pemseq] [-w] [-p] [-P passphrase] [-o file] [--home DIR]",
            "Export certificates and keys from a keychain; passwords never are."
        ),
        CommandDescription(
            "import", .importFile, OptionLetters(valued: "ktfPT", flags: "wxA", paired: "a"),
            "file [-k keychain] [-t pub|priv|cert|agg] [-f openssl|pkcs7|pkcs8|pkcs12|x509|pemseq] [-w] [-x] [-P passphrase] [-a name value] [-A] [-T app] [--home DIR]",
            "Import certificates and keys into a keychain."
        ),
        CommandDescription(
            "export-smartcard", .missing, OptionLetters(valued: ""),
            "",
            ""
        ),
        CommandDescription(
            "cms", .missing, OptionLetters(valued: ""),
            "",
            ""
        ),
        CommandDescription(
            "install-mds", .missing, OptionLetters(valued: ""),
            "",
            ""
        ),
        CommandDescription(
            "add-trusted-cert", .missing, OptionLetters(valued: ""),
            "",
            ""
        ),
        CommandDescription(
            "remove-trusted-cert", .missing, OptionLetters(valued: ""),
            "",
            ""
        ),
        CommandDescription(
            "dump-trust-settings", .missing, OptionLetters(valued: ""),
            "",
            ""
        ),
        CommandDescription(
            "user-trust-settings-enable", .missing, OptionLetters(valued: ""),
            "",
            ""
        ),
        CommandDescription(
            "trust-settings-export", .missing, OptionLetters(valued: ""),
            "",
            ""
        ),
        CommandDescription(
            "trust-settings-import", .missing, OptionLetters(valued: ""),
            "",
            ""
        ),
        CommandDescription(
            "verify-cert", .missing, OptionLetters(valued: ""),
            "",
            ""
        ),
        CommandDescription(
            "authorize", .missing, OptionLetters(valued: ""),
            "",
            ""
        ),
        CommandDescription(
            "authorizationdb", .missing, OptionLetters(valued: ""),
            "",
            ""
        ),
        CommandDescription(
            "execute-with-privileges", .missing, OptionLetters(valued: ""),
            "",
            ""
        ),
        CommandDescription(
            "leaks", .missing, OptionLetters(valued: ""),
            "",
            ""
        ),
        CommandDescription(
            "error", .error, OptionLetters(valued: ""),
            "code [code ...]",
            "Say what an error code means."
        ),
        CommandDescription(
            "protect", .protect, OptionLetters(valued: "o", words: [.protection]),
            "file --class complete|unless-open|until-first-unlock|none [-o output] [--home DIR]",
            "Seal a file, so that it can be read only while this device allows it."
        ),
        CommandDescription(
            "unprotect", .unprotect, OptionLetters(valued: "o"),
            "file [-o output] [--home DIR]",
            "Open a file that was sealed."
        ),
        CommandDescription(
            "rpc", .rpc, OptionLetters(valued: ""),
            "[--home DIR] [--test]",
            "Answer SecItem calls as JSON, a request a line."
        ),
    ]
}

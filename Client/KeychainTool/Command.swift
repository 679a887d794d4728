/// The classes of items that the tool handles, by the names of `security`'s output.
enum ItemClass: String, CaseIterable {
    case genericPassword = "genp"
    case internetPassword = "inet"
    case certificate = "cert"
    case key = "keys"
}

/// What can be done.
enum Command: Equatable {
    case help
    case error
    case add(ItemClass)
    case find(ItemClass)
    case delete(ItemClass)
    case keychains(KeychainsCommand.Kind)
    case dump
    case certificates(CertificateCommand.Kind)
    case importFile
    case addCertificates
    case export
    case protect
    case unprotect
    /// Who may use an item without being asked; here nobody ever is.
    case setPartitions(ItemClass)
    /// What the daemon's program does in this one's place.
    case rpc
    /// `security` has it and this tool does not; it stands here for what is typed short.
    case missing
}

/// A command's name and what is said about it.
struct CommandDescription {
    let name: String
    let command: Command
    let letters: OptionLetters
    let synopsis: String
    let summary: String

    init(
        _ name: String,
        _ command: Command,
        _ letters: OptionLetters,
        _ synopsis: String,
        _ summary: String
    ) {
        self.name = name
        self.command = command
        self.letters = letters
        self.synopsis = synopsis
        self.summary = summary
    }

    /// Finds a command by the beginning of its name; the first in the table's order counts.
    static func find(_ typed: String) -> CommandDescription? {
        let found = table.first { $0.name.hasPrefix(typed) }
        return found?.command == .missing ? nil : found
    }

    /// What is printed after a usage error.
    var usage: String {
        "Usage: \(name)\(synopsis.isEmpty ? "" : " ")\(synopsis)\n        \(summary)\n"
    }
}

extension CommandDescription {
    /// In the order of `security help`, on which short forms depend: `delete` alone must not
    /// become another command here than it is there.
    static let table: [CommandDescription] =
        keychainCommands + passwordCommands + keyCommands + otherCommands

    private static let keychainCommands = [
        CommandDescription(
            "help",
            .help,
            OptionLetters(valued: ""),
            "[command ...]",
            "Show all commands, or show usage for a command."
        ),
        CommandDescription(
            "list-keychains",
            .keychains(.list),
            OptionLetters(valued: "d", flags: "s"),
            "[-d user|system|common|dynamic] [--home DIR] [-s [keychain...]]",
            "Display or manipulate the keychain search list."
        ),
        missing("list-smartcards"),
        CommandDescription(
            "default-keychain",
            .keychains(.byDefault),
            OptionLetters(valued: "d", flags: "s"),
            "[-d user|system|common|dynamic] [--home DIR] [-s [keychain]]",
            "Display or set the default keychain."
        ),
        CommandDescription(
            "login-keychain",
            .keychains(.login),
            OptionLetters(valued: "d", flags: "s"),
            "[-d user|system|common|dynamic] [--home DIR] [-s [keychain]]",
            "Display or set the login keychain."
        ),
        CommandDescription(
            "create-keychain",
            .keychains(.create),
            OptionLetters(valued: "p", flags: "P"),
            "[-p password] [--home DIR] [keychains...]",
            "Create keychains."
        ),
        CommandDescription(
            "delete-keychain",
            .keychains(.delete),
            OptionLetters(valued: ""),
            "[--home DIR] [keychains...]",
            "Delete keychains and remove them from the search list."
        ),
        CommandDescription(
            "lock-keychain",
            .keychains(.lock),
            OptionLetters(valued: "", flags: "a"),
            "[--home DIR] [-a | keychain]",
            "Lock the specified keychain, or the default keychain."
        ),
        CommandDescription(
            "unlock-keychain",
            .keychains(.unlock),
            OptionLetters(valued: "p", flags: "u"),
            "[-u] [-p password] [--home DIR] [keychain]",
            "Unlock the specified keychain, or the default keychain."
        ),
        CommandDescription(
            "set-keychain-settings",
            .keychains(.setSettings),
            OptionLetters(valued: "t", flags: "lu"),
            "[-lu] [-t timeout] [--home DIR] [keychain]",
            "Set settings for a keychain: what is not given is off."
        ),
        CommandDescription(
            "set-keychain-password",
            .keychains(.setPassword),
            OptionLetters(valued: "op"),
            "[-o oldPassword] [-p newPassword] [--home DIR] [keychain]",
            "Set the password of a keychain."
        ),
        CommandDescription(
            "show-keychain-info",
            .keychains(.showInfo),
            OptionLetters(valued: "", flags: "s"),
            "[-s] [--home DIR] [keychain]",
            "Show the settings for a keychain."
        ),
        CommandDescription(
            "dump-keychain",
            .dump,
            OptionLetters(valued: "o", flags: "adri", words: [.synchronizable]),
            "[-adri] [-o file] [--sync] [--home DIR] [keychain...]",
            "Dump the contents of one or more keychains."
        ),
        missing("recode-keychain"),
        missing("create-keypair"),
    ]

    private static let passwordCommands = [
        CommandDescription(
            "add-generic-password",
            .add(.genericPassword),
            OptionLetters(
                valued: "aslDGjcCTwpX",
                flags: "AU",
                asking: "wp",
                words: [.synchronizable]
            ),
            "-a account -s service [-w password | -p password | -X hex] [-l label] [-D kind]"
                + " [-G generic] [-j comment] [-c creator] [-C type] [-A] [-T app] [-U] [--sync]"
                + " [--home DIR] [keychain]",
            "Add a generic password. With -w or -p last and no password, it is asked for."
        ),
        CommandDescription(
            "add-internet-password",
            .add(.internetPassword),
            OptionLetters(
                valued: "asdpPrtlDjcCTwX",
                flags: "AU",
                asking: "w",
                words: [.synchronizable]
            ),
            "-a account -s server [-w password | -X hex] [-d domain] [-p path] [-P port]"
                + " [-r protocol] [-t type] [-l label] [-D kind] [-j comment] [-c creator]"
                + " [-C type] [-A] [-T app] [-U] [--sync] [--home DIR] [keychain]",
            "Add an internet password. With -w last and no password, it is asked for."
        ),
        CommandDescription(
            "add-certificates",
            .addCertificates,
            OptionLetters(valued: "k"),
            "[-k keychain] [--home DIR] file...",
            "Add certificates of files to a keychain."
        ),
        CommandDescription(
            "find-generic-password",
            .find(.genericPassword),
            OptionLetters(valued: "aslDGjcC", flags: "gw", words: [.synchronizable]),
            genericCriteria + " [-g] [-w] [--sync] [--home DIR] [keychain ...]",
            "Show a generic password: the first that matches."
        ),
        CommandDescription(
            "delete-generic-password",
            .delete(.genericPassword),
            OptionLetters(valued: "aslDGjcC", flags: "g", words: [.synchronizable]),
            genericCriteria + " [-g] [--sync] [--home DIR] [keychain ...]",
            "Delete a generic password: the first that matches."
        ),
        CommandDescription(
            "set-generic-password-partition-list",
            .setPartitions(.genericPassword),
            OptionLetters(valued: "aslDGjcCSk", asking: "k"),
            "-S partitions [-k password] " + genericCriteria + " [--home DIR] [keychain]",
            "Unlock the keychain and look for the item: no program is asked about here."
        ),
        CommandDescription(
            "find-internet-password",
            .find(.internetPassword),
            OptionLetters(valued: "asdpPrtlDjcC", flags: "gw", words: [.synchronizable]),
            internetCriteria + " [-g] [-w] [--sync] [--home DIR] [keychain ...]",
            "Show an internet password: the first that matches."
        ),
        CommandDescription(
            "delete-internet-password",
            .delete(.internetPassword),
            OptionLetters(valued: "asdpPrtlDjcC", flags: "g", words: [.synchronizable]),
            internetCriteria + " [-g] [--sync] [--home DIR] [keychain ...]",
            "Delete an internet password: the first that matches."
        ),
        CommandDescription(
            "set-internet-password-partition-list",
            .setPartitions(.internetPassword),
            OptionLetters(valued: "asdpPrtlDjcCSk", asking: "k"),
            "-S partitions [-k password] " + internetCriteria + " [--home DIR] [keychain]",
            "Unlock the keychain and look for the item: no program is asked about here."
        ),
    ]

    private static let keyCommands = [
        CommandDescription(
            "find-key",
            .certificates(.findKey),
            OptionLetters(valued: "acDjlt", flags: "derusvw"),
            keyCriteria + " [--home DIR] [keychain...]",
            "Show the keys that match."
        ),
        CommandDescription(
            "set-key-partition-list",
            .setPartitions(.key),
            OptionLetters(valued: "acDjltSk", flags: "desuvwr", asking: "k"),
            "-S partitions [-k password] " + keyCriteria + " [--home DIR] [keychain]",
            "Unlock the keychain and look for the item: no program is asked about here."
        ),
        CommandDescription(
            "find-certificate",
            .certificates(.find),
            OptionLetters(valued: "ce", flags: "ampZ"),
            "[-a] [-c name] [-e email] [-m] [-p] [-Z] [--home DIR] [keychain...]",
            "Show a certificate: the first that matches, or all with -a."
        ),
        CommandDescription(
            "find-identity",
            .certificates(.findIdentity),
            OptionLetters(valued: "ps", flags: "v"),
            "[-p policy]... [-s string] [-v] [--home DIR] [keychain...]",
            "List certificates that have their private key here."
        ),
        CommandDescription(
            "delete-certificate",
            .certificates(.delete),
            OptionLetters(valued: "cZ", flags: "t"),
            "[-c name] [-Z hash] [-t] [--home DIR] [keychain...]",
            "Delete the one certificate of this name, or part of a name, or hash."
        ),
        CommandDescription(
            "delete-identity",
            .certificates(.deleteIdentity),
            OptionLetters(valued: "cZ", flags: "t"),
            "[-c name] [-Z hash] [-t] [--home DIR] [keychain...]",
            "Delete the one certificate of this name, or part of a name, or hash, and its key."
        ),
        missing("set-identity-preference"),
        missing("get-identity-preference"),
        missing("create-db"),
        CommandDescription(
            "export",
            .export,
            OptionLetters(valued: "ktfPo", flags: "wp"),
            "[-k keychain] [-t certs|allKeys|pubKeys|privKeys|identities|all]"
                + " [-f openssl|pkcs7|pkcs8|pkcs12|raw|x509|pemseq] [-w] [-p] [-P passphrase]"
                + " [-o file] [--home DIR]",
            "Export certificates and keys from a keychain; passwords never are."
        ),
        CommandDescription(
            "import",
            .importFile,
            OptionLetters(valued: "ktfPT", flags: "wxA", paired: "a"),
            "file [-k keychain] [-t pub|priv|cert|agg]"
                + " [-f openssl|pkcs7|pkcs8|pkcs12|x509|pemseq] [-w] [-x] [-P passphrase]"
                + " [-a name value] [-A] [-T app] [--home DIR]",
            "Import certificates and keys into a keychain."
        ),
    ]

    private static let otherCommands = [
        missing("export-smartcard"),
        missing("cms"),
        missing("install-mds"),
        missing("add-trusted-cert"),
        missing("remove-trusted-cert"),
        missing("dump-trust-settings"),
        missing("user-trust-settings-enable"),
        missing("trust-settings-export"),
        missing("trust-settings-import"),
        missing("verify-cert"),
        missing("authorize"),
        missing("authorizationdb"),
        missing("execute-with-privileges"),
        missing("leaks"),
        CommandDescription(
            "error",
            .error,
            OptionLetters(valued: ""),
            "code [code ...]",
            "Say what an error code means."
        ),
        CommandDescription(
            "protect",
            .protect,
            OptionLetters(valued: "o", words: [.protection]),
            "file --class complete|unless-open|until-first-unlock|none [-o output]"
                + " [--home DIR]",
            "Seal a file, so that it can be read only while this device allows it."
        ),
        CommandDescription(
            "unprotect",
            .unprotect,
            OptionLetters(valued: "o"),
            "file [-o output] [--home DIR]",
            "Open a file that was sealed."
        ),
        CommandDescription(
            "rpc",
            .rpc,
            OptionLetters(valued: ""),
            "[--home DIR] [--test]",
            "Answer SecItem calls as JSON, a request a line."
        ),
    ]

    private static let genericCriteria =
        "[-a account] [-s service] [-l label] [-D kind] [-G generic] [-j comment] [-c creator]"
        + " [-C type]"
    private static let internetCriteria =
        "[-a account] [-s server] [-d domain] [-p path] [-P port] [-r protocol] [-t type]"
        + " [-l label] [-D kind] [-j comment] [-c creator] [-C type]"

    private static let keyCriteria =
        "[-a label] [-l name] [-t public|private|symmetric] [-c creator] [-D kind] [-j comment]"
        + " [-derusvw]"

    private static func missing(_ name: String) -> CommandDescription {
        CommandDescription(name, .missing, OptionLetters(valued: ""), "", "")
    }
}

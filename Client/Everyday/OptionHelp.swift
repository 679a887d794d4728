/// An option in the help of a command for people: how it is typed, and what it does.
package struct OptionHelp: Equatable, Sendable {
    /// The letter, if the option has one, the long name, and what stands for its value.
    let typed: String
    let text: String

    init(_ typed: String, _ text: String) {
        (self.typed, self.text) = (typed, text)
    }

    /// The long name, without its dashes.
    package var name: String {
        let words = typed.split(separator: " ")
        let long = words.first { $0.hasPrefix("--") } ?? ""
        return String(long.dropFirst(2))
    }

    /// Whether a value follows it.
    package var takesValue: Bool { typed.split(separator: " ").last?.hasPrefix("-") == false }
}

extension EverydayCommand {
    /// The options of the command, in the order of its help.
    ///
    /// Completion in shells and the manual page are made from these lines.
    package var options: [OptionHelp] {
        let json = Self.ownAnswers[name].map { OptionHelp("--json", $0) } ?? Self.json
        let answers = Self.answering.contains(name) ? [json] : []
        return (Self.ownOptions[name] ?? []) + answers + Self.commonOptions
    }

    package static let commonOptions = [
        OptionHelp("--home DIR", "Use the keychain of this folder."),
        OptionHelp("--help", "Show this."),
    ]

    private static let json = OptionHelp("--json", "Answer in JSON, on one line.")

    /// What `--json` does where the answer is not what the command prints otherwise.
    private static let ownAnswers = [
        "copy": "Say in JSON what was copied, and where to.",
        "pick": "Enter chooses the item, and prints it in JSON.",
        "qr": "Print the rows of the code in JSON.",
        "run": "If nothing is started, say why in JSON.",
        "inject": "Say in JSON how many references were filled in.",
    ]

    /// The commands that have an answer in JSON.
    static let answering: Set = [
        "list", "search", "show", "totp", "new", "edit", "generate", "rename", "rm", "tag", "fav",
        "attach", "detach", "history", "deleted", "restore", "read", "convert", "copy", "pick",
        "qr", "run", "inject",
    ]

    private static let filters = [
        OptionHelp("--type TYPE", "Only items of this type."),
        OptionHelp("--tag TAG", "Only items with this tag."),
        OptionHelp("--favorites", "Only favorites."),
        OptionHelp("--limit N", "At most this many items."),
    ]

    private static let passwordFile = OptionHelp(
        "--password-file FILE",
        "Read it from a file; - is standard input."
    )
    private static let fieldFile = OptionHelp(
        "--field-file NAME=FILE",
        "Add a hidden field from a file."
    )
    private static let yes = OptionHelp("--yes", "Do not ask.")
    private static let force = OptionHelp("--force", "Replace the file if it is there.")
    private static let code = OptionHelp(
        "--otp CODE",
        "Add a one-time code: Base32 or otpauth://."
    )

    private static let ownOptions: [String: [OptionHelp]] = [
        "list": filters,
        "search": filters,
        "show": [
            OptionHelp("--secrets", "Show hidden values too."),
            OptionHelp("-f, --field FIELD", "Print only this value, even a hidden one."),
            OptionHelp("-o, --output FILE", "With --field: copy the value into a new file."),
            force,
        ],
        "copy": [OptionHelp("--seconds N", "Keep it there for 1 to 3600 seconds, not 45.")],
        "totp": [
            OptionHelp("--watch", "Show the code and its seconds until Ctrl-C."),
            OptionHelp("--next", "Show the code that comes next."),
        ],
        "new": newOptions,
        "edit": [
            OptionHelp("--set FIELD[=VALUE]", "Change a value; without VALUE it is asked for."),
            OptionHelp(
                "--add NAME[:KIND]=VALUE",
                "Add a field; a wrong KIND names them all."
            ),
            OptionHelp("--before FIELD", "Put the added fields before this one."),
            fieldFile,
            OptionHelp(
                "--remove FIELD",
                "Remove a field, the user name, password or note."
            ),
            OptionHelp("--add-address URL[=RULE]", "Add an address."),
            OptionHelp("--remove-address URL", "Remove an address."),
            code, passwordFile, yes,
        ],
        "generate": generateOptions,
        "rm": [yes],
        "tag": [OptionHelp("--remove TAG", "Take a tag off.")],
        "fav": [OptionHelp("--off", "Take the mark off.")],
        "attach": [OptionHelp("--as NAME", "Name it so in the item."), yes],
        "detach": [OptionHelp("-o, --output FILE", "Move it into a new file."), force, yes],
        "history": [
            OptionHelp("--secrets", "Show hidden values too."),
            OptionHelp("--clear", "Forget all earlier values, or those of the numbers given."),
            yes,
        ],
        "run": [
            OptionHelp("-e, --env NAME=REFERENCE", "Set a variable."),
            OptionHelp("--env-file FILE", "Set the variables of a file in dotenv form."),
            OptionHelp("--no-masking", "Do not hide the values in the program's output."),
        ],
        "inject": [
            OptionHelp("-i, --input TEMPLATE", "Read this file, not standard input."),
            OptionHelp("-o, --output FILE", "Write a new file, not standard output."),
            force,
        ],
        "convert": [
            OptionHelp("--format FORMAT", "Whose file OUT is; a wrong one lists all."),
            OptionHelp("--from FORMAT", "Whose file IN is, if not by its content."),
            OptionHelp("--map COLUMN=FIELD", "What a column of a table holds."),
            OptionHelp("--password-file FILE", "The password of IN; - is standard input."),
            OptionHelp("--key-file FILE", "The key file of IN."),
            OptionHelp("--new-password-file FILE", "The password of OUT, if encrypted."),
            OptionHelp("--new-key-file FILE", "The key file of OUT, which exists."),
        ],
        "names": [
            OptionHelp("--tags", "Print tags."),
            OptionHelp("--references", "Print references."),
            OptionHelp("--deleted", "Print titles of deleted items too."),
        ] + filters,
    ]

    private static let newOptions = [
        OptionHelp("-t, --title TITLE", "What the item is called; otherwise its site."),
        OptionHelp("-s, --site SITE", "An address or a host."),
        OptionHelp("-u, --user USER", "The user name."),
        passwordFile,
        OptionHelp("--no-password", "Do not ask for a password, and make none."),
        OptionHelp("--text-file FILE", "Take the text of a note from a file."),
        OptionHelp("--note TEXT", "A note beside the password."),
        OptionHelp("--field NAME[:KIND]=VALUE", "Add a field."),
        OptionHelp("--secret NAME[=VALUE]", "Add a hidden one; without VALUE it is asked for."),
        fieldFile,
        code,
        OptionHelp("--address URL[=RULE]", "Add an address and its match rule."),
        OptionHelp("--tag TAG", "Add a tag."),
        OptionHelp("--favorite", "Mark it as a favorite."),
        OptionHelp("--local", "Keep it on this device."),
    ]

    private static let generateOptions = [
        OptionHelp("-l, --length N", "So many characters, words or groups of syllables."),
        OptionHelp("--words", "Words of a list."),
        OptionHelp("--syllables", "Syllables that can be spoken."),
        OptionHelp("--separator TEXT", "Stands between words or groups; otherwise -."),
        OptionHelp("--capitals", "Begin each word with a capital letter."),
        OptionHelp("--no-upper", "No capital letters."),
        OptionHelp("--no-digits", "No digits."),
        OptionHelp("--no-symbols", "No symbols."),
        OptionHelp("--no-look-alikes", "No characters that look like others."),
        OptionHelp("--rules RULES", "Apple's passwordrules of a site, in place of the rest."),
        OptionHelp("--for NAME", "Put it into this item, whose history keeps the old one."),
        OptionHelp("-q, --quiet", "Do not show the bits."),
    ]

    /// The lines of the help below the summary.
    var optionLines: String {
        let width = options.map(\.typed.count).max() ?? 0
        return options.map { option in
            let padding = String(repeating: " ", count: width - option.typed.count)
            return "    \(option.typed)\(padding)  \(option.text)\n"
        }.joined()
    }
}

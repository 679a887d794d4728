/// The commands for people, in the order in which a day needs them.
extension EverydayCommand {
    private static let choice = WordOptions.Accepted(flags: ["yes"])

    package static let table: [EverydayCommand] = [
        EverydayCommand(
            "list",
            "[WORD...] [--type T] [--tag T] [--favorites] [--json]",
            "List items, or those that the words find.",
            Everyday.filters
        ) { try $0.list($1) },
        EverydayCommand(
            "search",
            "WORD... [--type T] [--tag T] [--favorites] [--json]",
            "Find items by a part of anything but secrets.",
            Everyday.filters
        ) { try $0.search($1) },
        EverydayCommand(
            "show",
            "NAME [--secrets] [--field FIELD [-o FILE]] [--json]",
            "Show an item; its secrets only with --secrets.",
            Everyday.showOptions
        ) { try $0.show($1) },
        EverydayCommand(
            "copy",
            "NAME [FIELD] [--seconds N] [--json]",
            "Copy a password or a field for 45 seconds.",
            WordOptions.Accepted(valued: ["seconds"]),
            run: nil
        ),
        EverydayCommand(
            "pick",
            "[WORD...] [--json]",
            "Pick an item on the whole terminal: type, arrows, Enter copies.",
            run: nil
        ),
        EverydayCommand(
            "totp",
            "NAME [FIELD] [--watch] [--next]",
            "Show the one-time code of an item.",
            Everyday.codeOptions
        ) { try $0.showCode($1) },
        EverydayCommand(
            "new",
            "[TYPE] [--title T] [--site S] [--user U] [--field NAME=VALUE] ...",
            "Add a login, note, card, identity, ssh-key, wifi or passkey.",
            Everyday.newOptions
        ) { try $0.makeItem($1) },
        EverydayCommand(
            "edit",
            "NAME [--set FIELD[=VALUE]] [--add NAME[:KIND]=VALUE] [--remove FIELD]",
            "Change an item; without options in your editor.",
            Everyday.editOptions
        ) { try $0.edit($1) },
        EverydayCommand(
            "generate",
            "[--length N] [--words|--syllables] [--rules R] [--for NAME]",
            "Make a password, and put it into an item with --for.",
            Everyday.generateOptions
        ) { try $0.generate($1) },
        EverydayCommand("rename", "NAME TITLE", "Give an item another title.") {
            try $0.rename($1)
        },
        EverydayCommand(
            "rm",
            "NAME... [--yes] [--json]",
            "Delete an item, after a question.",
            choice
        ) { try $0.remove($1) },
        EverydayCommand(
            "tag",
            "NAME TAG... [--remove TAG]",
            "Add tags to an item, or take them off.",
            WordOptions.Accepted(valued: ["remove"])
        ) { try $0.tag($1) },
        EverydayCommand(
            "fav",
            "NAME [--off]",
            "Mark an item as a favorite.",
            WordOptions.Accepted(flags: ["off"])
        ) { try $0.markFavorite($1) },
        EverydayCommand(
            "attach",
            "NAME FILE [--as NAME]",
            "Put a file of up to 1 MiB into an item.",
            Everyday.attachOptions
        ) { try $0.attach($1) },
        EverydayCommand(
            "detach",
            "NAME ATTACHMENT [-o FILE]",
            "Take an attachment out of an item.",
            Everyday.detachOptions
        ) { try $0.detach($1) },
        EverydayCommand(
            "history",
            "NAME [--secrets] [--clear [VERSION...]] [--json]",
            "Show and number the earlier values of an item, or forget them.",
            Everyday.historyOptions
        ) { try $0.showHistory($1) },
        EverydayCommand(
            "deleted",
            "[WORD...] [--json]",
            "List the items that were deleted in the last 30 days."
        ) { try $0.showDeleted($1) },
        EverydayCommand(
            "restore",
            "ITEM [VERSION...] [--json]",
            "Put earlier values of an item back, or a deleted item."
        ) { try $0.restore($1) },
        EverydayCommand(
            "qr",
            "NAME [FIELD] [--json]",
            "Show a value as a QR code."
        ) { try $0.showQRCode($1) },
        EverydayCommand(
            "read",
            "REFERENCE... [--json]",
            "Print what keychain://SITE/USER[/FIELD] means."
        ) { try $0.readReferences($1) },
        EverydayCommand(
            "run",
            "[--env-file F] [-e NAME=REF]... [--json] -- COMMAND...",
            "Run a program with secrets in its environment.",
            Everyday.runOptions
        ) { try $0.runProgram($1) },
        EverydayCommand(
            "inject",
            "-i TEMPLATE -o FILE [--json]",
            "Fill in a template's references, such as {{ keychain://SITE/USER }}.",
            Everyday.injectOptions
        ) { try $0.inject($1) },
        EverydayCommand(
            "convert",
            "IN OUT --format FORMAT [--from FORMAT] [--json]",
            "Turn one program's file into another's, beside the keychain.",
            WordOptions.Accepted(
                valued: [
                    "format", "from", "map", "password-file", "key-file", "new-password-file",
                    "new-key-file",
                ]
            ),
            run: nil
        ),
        EverydayCommand(
            "names",
            "[START] [--tags|--references|--deleted]",
            "Print titles, tags or references, for completion.",
            Everyday.nameOptions
        ) { try $0.names($1) },
    ]
}

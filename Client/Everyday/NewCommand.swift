internal import KSAgent

// `new`: makes an item, and asks on a terminal for what the command line leaves out.
extension Everyday {
    static let newOptions = WordOptions.Accepted(
        flags: ["favorite", "local", "no-password"],
        valued: [
            "title", "user", "site", "note", "field", "secret", "field-file", "otp", "tag",
            "address",
            "password-file", "text-file",
        ],
        letters: ["u": "user", "s": "site", "t": "title"]
    )

    func makeItem(_ options: WordOptions) throws {
        let isText = options.text("text-file") != nil
        let type = options.names.first ?? (isText ? "note" : "login")
        guard let usual = ItemKinds.usualFields[type] else {
            throw EverydayFailure.usage(
                "there is no type \"\(type)\"; use one of "
                    + ItemKinds.names.joined(separator: ", ")
            )
        }
        guard !isText || type == "note" else {
            throw EverydayFailure.usage(
                "--text-file takes the text of a note; for a password give --password-file FILE"
            )
        }
        var form = try fields(of: options, usual: usual)
        form.type = type
        form.title = options.text("title") ?? options.names.dropFirst().first
        form.userName = options.text("user")
        form.place = options.text("site")
        form.note = options.text("note")
        form.isFavorite = options.has("favorite") ? true : nil
        form.addedTags = options.texts("tag")
        form.addedAddresses = options.texts("address").map(ItemKinds.address)
        if let path = options.text("password-file") ?? options.text("text-file") {
            form.secret = try secret(ofFile: path)
        }
        let isAsking = console.isInteractive && console.isErrorShown
        if isAsking {
            // The rest of a paste must not become commands of the shell.
            defer { console.dropTypedAhead() }
            try askMissing(of: &form, type: type, usual: usual, options)
        } else if ["login", "wifi"].contains(type), form.secret == nil,
            !options.has("no-password")
        {
            throw EverydayFailure.usage(
                "there is no terminal to ask for the password on;"
                    + " give --password-file FILE, - for standard input, or --no-password"
            )
        }
        guard form.title?.isEmpty == false || form.place?.isEmpty == false else {
            throw EverydayFailure.usage("give a title with --title or a site with --site")
        }
        let made = try add(form, isAsking: isAsking, options)
        if options.has("json") {
            say(ItemLines.json(made).text + "\n")
        } else {
            say("added \(Printable.text(ItemLines.name(made)))\n")
        }
        if form.isEmpty, type != "login", type != "wifi" {
            let names = ItemKinds.usualNames(of: type)
            let way = type == "note" ? "--text-file FILE" : "--field NAME=VALUE (\(names))"
            complain("it is empty: without a terminal, new takes its contents from \(way)")
        }
    }

    /// Adds the item; asks again for a name that another item has.
    private func add(
        _ form: ItemForm,
        isAsking: Bool,
        _ options: WordOptions
    ) throws -> ListedItem {
        var form = form
        while true {
            do {
                return try call(MakeItem(form, isSynced: !options.has("local")), options)
            } catch AgentError.failed(let failure) where isAsking && failure.isDuplicate {
                complain(Self.sentence(of: .failed(failure)))
                if form.place == nil {
                    try ask("title: ", of: &form, options) { $0.title = $1.text }
                } else {
                    try ask("user name: ", of: &form, options) { $0.userName = $1.text }
                }
            }
        }
    }

    /// Asks for what the options leave out; an empty answer leaves it out too.
    private func askMissing(
        of form: inout ItemForm,
        type: String,
        usual: [(name: String, kind: String)],
        _ options: WordOptions
    ) throws {
        // What the options say is no fault of an answer.
        try check(form, options)
        while true {
            if form.title == nil { try ask("title: ", of: &form, options) { $0.title = $1.text } }
            if type == "login", form.place == nil {
                try ask("site (empty for none): ", of: &form, options) { $0.place = $1.text }
            }
            if form.title != nil || form.place != nil { break }
            complain("an item needs a title" + (type == "login" ? " or a site" : ""))
        }
        if type == "login", form.userName == nil {
            try ask("user name: ", of: &form, options) { $0.userName = $1.text }
        }
        if ["login", "wifi"].contains(type), form.secret == nil, !options.has("no-password") {
            let question = "password (empty makes one): "
            try ask(question, as: .hidden, of: &form, options) { $0.secret = $1 }
            if form.secret == nil {
                form.secret = Array(try call(GeneratePassword(), options).password.utf8)
            }
        }
        if type == "note", form.secret == nil {
            let question = "text, of any number of lines; Ctrl-D ends it:\n"
            try ask(question, as: .text, of: &form, options) { $0.secret = $1.withoutLineBreak }
        }
        let given = Set((form.fields ?? []).map(\.name))
        for field in usual where !given.contains(field.name) {
            let (question, answerForm) = Self.question(field)
            try ask(question, as: answerForm, of: &form, options) { form, typed in
                let new = ItemForm.Field(name: field.name, kind: field.kind, value: typed)
                form.fields = (form.fields ?? []) + [new]
            }
        }
    }

    /// How an answer is typed.
    private enum AnswerForm {
        case line, hidden
        /// Lines up to the end of input, without echo or with it.
        case hiddenText, text
    }

    private static func question(
        _ field: (name: String, kind: String)
    ) -> (text: String, AnswerForm) {
        switch (field.name, field.kind) {
        // A key has many lines, and needs the last one's break.
        case ("private key", _):
            ("\(field.name): paste it, then press Enter and Ctrl-D\n", .hiddenText)
        case (_, "secret"): ("\(field.name): ", .hidden)
        case (_, "month"): ("\(field.name) (as 12/29 or 2029-12): ", .line)
        case (_, "date"): ("\(field.name) (as 1990-05-31): ", .line)
        default: ("\(field.name): ", .line)
        }
    }

    private func answer(_ question: String, as form: AnswerForm) throws -> [UInt8] {
        switch form {
        case .line: Array(try console.askLine(question).utf8)
        case .hidden: try console.askPassword(question)
        case .hiddenText: try console.askText(question, isHidden: true)
        case .text: try console.askText(question, isHidden: false)
        }
    }

    /// Asks one question, and again with the reason while no item can have the answer.
    private func ask(
        _ question: String,
        as answerForm: AnswerForm = .line,
        of form: inout ItemForm,
        _ options: WordOptions,
        _ enter: (inout ItemForm, [UInt8]) -> Void
    ) throws {
        while true {
            let typed: [UInt8]
            do {
                typed = try answer(question, as: answerForm)
            } catch let failure as Failure where failure == .severalLines {
                complain("several lines were pasted where one is asked for")
                continue
            }
            guard !typed.isEmpty else { return }
            var next = form
            enter(&next, typed)
            do {
                try check(next, options)
                return form = next
            } catch AgentError.failed(let failure) where !failure.hint.isEmpty {
                complain(Self.sentence(of: .failed(failure)))
            }
        }
    }

    /// Lets the daemon check a form that may still lack its title.
    private func check(_ form: ItemForm, _ options: WordOptions) throws {
        var form = form
        if form.place == nil { form.title = form.title ?? "untitled" }
        _ = try call(MakeItem(form, isSynced: !options.has("local"), isTrial: true), options)
    }

    /// The fields that options name: `--field NAME=VALUE`, `--secret NAME` and `--otp CODE`.
    private func fields(
        of options: WordOptions,
        usual: [(name: String, kind: String)]
    ) throws -> ItemForm {
        var form = ItemForm()
        var fields: [ItemForm.Field] = []
        for text in options.all("field") {
            let name = String(decoding: text.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
            // A card's number is as hidden as if it had been asked for.
            let kind = usual.first { $0.name == name.lowercased() }?.kind
            fields.append(try ItemKinds.field(text, kind: kind ?? "text"))
        }
        for text in options.all("secret") {
            var field = try ItemKinds.field(text, kind: "secret", needsValue: false)
            if !text.contains(UInt8(ascii: "=")) {
                field.value = try console.askPassword("\(field.name): ")
            }
            fields.append(field)
        }
        fields += try fieldsOfFiles(options)
        if let code = options["otp"] {
            fields.append(.init(name: "one-time code", kind: "otp", value: code))
        }
        try ItemKinds.checkNames(fields.map(\.name))
        form.fields = fields
        return form
    }

    /// The fields of `--field-file NAME[:KIND]=FILE`: a key that needs its last line break, or what
    /// no list of processes should show.
    func fieldsOfFiles(_ options: WordOptions) throws -> [ItemForm.Field] {
        try options.all("field-file").map { text in
            var field = try ItemKinds.field(text, kind: "secret")
            field.value = try read(String(decoding: field.value, as: UTF8.self))
            return field
        }
    }

    package func secret(ofFile path: String) throws -> [UInt8] {
        // An editor ends a file with a line break, which is no part of a password.
        try (path == "-" ? console.readAll() : read(path)).withoutLineBreak
    }
}

extension ItemForm {
    /// Whether it says nothing beside what the item is called.
    fileprivate var isEmpty: Bool {
        secret == nil && fields?.isEmpty != false && note == nil && userName == nil
    }
}

extension AgentFailure {
    /// Whether there is such an item already.
    fileprivate var isDuplicate: Bool { code == -25299 }
}

extension [UInt8] {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }

    fileprivate var withoutLineBreak: [UInt8] {
        last == UInt8(ascii: "\n") ? Array(dropLast()) : self
    }
}

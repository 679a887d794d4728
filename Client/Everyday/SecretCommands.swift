internal import Glibc
internal import KSAgent
internal import KSQRCodes
internal import KSScreens

// `generate`, `totp` and `qr`.
extension Everyday {
    static let generateOptions = WordOptions.Accepted(
        flags: [
            "words", "syllables", "no-upper", "no-digits", "no-symbols", "no-look-alikes",
            "capitals", "quiet",
        ],
        valued: ["length", "rules", "for", "separator"],
        letters: ["l": "length", "q": "quiet"]
    )

    func generate(_ options: WordOptions) throws {
        let made = try call(try recipe(options), options)
        if let name = options.text("for") {
            let item = try item(toChange: options, named: name, asking: "change the password of")
            guard !["note", "card", "identity"].contains(item.type) else {
                let article = item.type == "identity" ? "an" : "a"
                throw EverydayFailure(
                    "\(item.title) is \(article) \(item.type), which has no password"
                )
            }
            var form = ItemForm()
            form.secret = Array(made.password.utf8)
            form.keepsSecret = true
            let changed = try call(ChangeItem(item.reference, form), options)
            guard !options.has("json") else {
                return say(
                    JSONValue.object([
                        ("item", ItemLines.json(changed)),
                        ("entropyBits", .number(made.entropyBits)),
                    ]).text + "\n"
                )
            }
            say(
                "\(Printable.text(ItemLines.name(item))) has a new password"
                    + " of \(made.entropyBits) bits\n"
            )
            return
        }
        if options.has("json") {
            say(
                JSONValue.object([
                    ("password", .text(made.password)),
                    ("entropyBits", .number(made.entropyBits)),
                ]).text + "\n"
            )
            return
        }
        say(made.password + "\n")
        guard console.isErrorShown, !options.has("quiet") else { return }
        console.write(Array("\(made.entropyBits) bits\n".utf8), to: .error)
    }

    private func recipe(_ options: WordOptions) throws -> GeneratePassword {
        var recipe = GeneratePassword()
        guard !options.has("words") || !options.has("syllables") else {
            throw EverydayFailure.usage("use --words or --syllables, not both")
        }
        if options.has("words") { recipe.style = .words }
        if options.has("syllables") { recipe.style = .syllables }
        if let text = options.text("length") {
            guard let length = Int64(text), length > 0 else {
                throw EverydayFailure.usage("--length takes a number above 0")
            }
            recipe.length = length
        }
        recipe.hasUpper = !options.has("no-upper")
        recipe.hasDigits = !options.has("no-digits")
        recipe.hasSymbols = !options.has("no-symbols")
        recipe.leavesOutLookAlikes = options.has("no-look-alikes")
        recipe.isCapitalized = options.has("capitals")
        recipe.separator = options.text("separator")
        recipe.rules = options.text("rules")
        return recipe
    }

    // MARK: One-time codes

    static let codeOptions = WordOptions.Accepted(flags: ["watch", "next"])

    func showCode(_ options: WordOptions) throws {
        let item = try item(options)
        let request = GetOneTimeCode(item.reference, field: options.names.dropFirst().first)
        var now = try call(request, options)
        guard options.has("watch"), console.isShown, !options.has("json") else {
            guard !options.has("json") else {
                // It has both codes, with --next too.
                return say(
                    JSONValue.object([
                        ("code", .text(now.code)), ("next", .text(now.next)),
                        ("secondsLeft", .number(now.secondsLeft)),
                    ]).text + "\n"
                )
            }
            return say(styled(options.has("next") ? now.next : now.code, .bold) + "\n")
        }
        // Ends with Ctrl-C, as a clock does.
        while true {
            let code = options.has("next") ? now.next : now.code
            say("\r\(styled(code, .bold))  \(bar(now))\u{1B}[K")
            sleep(1)
            now = try call(request, options)
        }
    }

    private func bar(_ now: OneTimeCodeNow) -> String {
        let width = 20
        let full = Int(now.secondsLeft) * width / max(1, Int(now.periodSeconds))
        let style = Style(color: now.secondsLeft <= 5 ? .red : .green)
        return "[" + styled(String(repeating: "#", count: full), style)
            + String(repeating: ".", count: width - full) + "] \(now.secondsLeft) s"
    }

    /// A text in this style where colors are wanted.
    private func styled(_ text: String, _ style: Style) -> String {
        console.hasColors ? style.colored(text) : text
    }

    func showQRCode(_ options: WordOptions) throws {
        let listed = try item(options)
        let item = try call(ShowItem(listed.reference, showsSecrets: true), options)
        let name =
            options.names.dropFirst().first ?? (item.type == "wifi" ? "wifi" : item.secretName)
        let value: [UInt8]
        if name == "wifi", item.type == "wifi" {
            value = Array(item.wifiText.utf8)
        } else if let found = item.value(of: name) {
            value = found
        } else {
            throw EverydayFailure(
                "\(listed.title) has no field \"\(name)\"; it has \(item.fieldNames)",
                status: EverydayFailure.notFoundStatus
            )
        }
        let code: QRCode
        do throws(QRCodeError) {
            code = try QRCode(value)
        } catch {
            throw EverydayFailure(error.description)
        }
        guard !options.has("json") else {
            let rows = (0..<code.size).map { row in
                JSONValue.text(
                    String((0..<code.size).map { code.isDark(row: row, column: $0) ? "1" : "0" })
                )
            }
            return answer([
                ("version", .number(Int64(code.version))), ("size", .number(Int64(code.size))),
                ("rows", .list(rows)),
            ])
        }
        guard !console.isShown || code.textColumns <= console.width else {
            throw EverydayFailure(
                "the QR code needs a terminal of \(code.textColumns) columns, and this one has"
                    + " \(console.width)"
            )
        }
        say(code.text(console.isShown ? .colored : .darkOnLight))
    }
}

extension ShownItem {
    /// What telephones read to join a network.
    fileprivate var wifiText: String {
        func escaped(_ text: String) -> String {
            text.reduce(into: "") { result, character in
                if "\\;,:\"".contains(character) { result += "\\" }
                result.append(character)
            }
        }
        func text(_ name: String) -> String {
            value(of: name).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
        let network = text("network").isEmpty ? title : text("network")
        // All versions of WPA are one to the cameras that read it.
        let typed = text("security")
        let isWPA = typed.isEmpty || typed.uppercased().hasPrefix("WPA")
        let password = text("password")
        guard !password.isEmpty else { return "WIFI:T:nopass;S:\(escaped(network));;" }
        let security = isWPA ? "WPA" : typed
        return "WIFI:T:\(escaped(security));S:\(escaped(network));P:\(escaped(password));;"
    }
}

internal import KSAgent
internal import KSClipboards
internal import KSEveryday
internal import KSSecrets

// `copy`: a value on the clipboard for a while.
extension Everyday {
    func copy(_ options: WordOptions) throws {
        let listed = try item(options)
        let seconds = try seconds(options)
        let name = options.names.dropFirst().first
        let receipt = try copy(name, of: listed, seconds: seconds, options)
        guard !options.has("json") else {
            return answer([
                ("item", ItemLines.json(listed)),
                ("field", .text(name ?? ItemLines.secretName(ofType: listed.type))),
                ("seconds", .number(Int64(seconds))), ("way", .text(receipt.kind.name)),
                ("certain", .bool(receipt.isCertain)),
            ])
        }
        let what = name ?? "the \(ItemLines.secretName(ofType: listed.type))"
        complain(
            "\(what) of \(listed.title) is on the clipboard"
                + " for \(seconds) seconds\(receipt.remark)"
        )
    }

    /// Copies a value by its name, or the password; of a field with a one-time code the code.
    func copy(
        _ name: String?,
        of listed: ListedItem,
        seconds: UInt32,
        _ options: WordOptions
    ) throws -> Clipboard.Receipt {
        let item = try call(ShowItem(listed.reference, showsSecrets: true), options)
        let wanted = name ?? item.secretName
        guard var value = item.value(of: wanted) else {
            throw EverydayFailure(
                name == nil
                    ? "\(listed.title) has no \(wanted); it has \(item.fieldNames)"
                    : "\(listed.title) has no field \"\(wanted)\"; it has \(item.fieldNames)",
                status: EverydayFailure.notFoundStatus
            )
        }
        if item.fields.contains(where: { $0.name == wanted && $0.kind == "otp" }) {
            let now = try call(GetOneTimeCode(listed.reference, field: wanted), options)
            value = Array(now.code.utf8)
        }
        let clipboard = try EverydayReplacement.clipboard()
        do throws(ClipboardError) {
            return try clipboard.copy(SharedSecret(bytes: value), seconds: seconds)
        } catch {
            throw EverydayFailure(error.sentence)
        }
    }

    private func seconds(_ options: WordOptions) throws -> UInt32 {
        guard let text = options.text("seconds") else { return Clipboard.secondsDefault }
        guard let seconds = UInt32(text), (1...3600).contains(seconds) else {
            throw EverydayFailure.usage("--seconds takes a number from 1 to 3600")
        }
        return seconds
    }
}

extension Clipboard.Receipt {
    /// What the user has to know of this clipboard.
    var remark: String {
        isCertain
            ? "" : ", if this terminal lets programs set it; closing the terminal leaves it there"
    }
}

internal import ArgumentParser
internal import KSBytes
package import KSDaemon

struct DevicesCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Lists the devices of the account.",
        discussion: """
            Each line has a device's name and its code of 8 letters and digits. A device that \
            logged out stays in the list until revoke removes it. One that has stored false keys \
            for the others is marked: remove it. The list is the one that this device last \
            received. Below it are the devices that others have added or removed since you last \
            looked; sync and status report them until then. With --json they stay unseen. If the \
            server refuses this device, the exit status is 77.
            """
    )

    @OptionGroup
    var answer: AnswerOptions

    func perform() throws {
        let devices = try answer.show(ListDevices()) { DeviceLines.lines($0) }
        let status = try answer.home.call(GetStatus())
        if !answer.json {
            let news = status.sync?.deviceNews ?? []
            for line in DeviceNewsLines.list(news) { Console.say(line) }
            _ = try answer.home.call(NoteDevicesSeen(devices))
        }
        // A removed device gets no newer list, so its own list still has it.
        if let failure = status.refusal { throw failure }
    }
}

struct RevokeCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Removes devices from the account, such as one that was lost.",
        discussion: """
            A removed device gets nothing new and can send nothing. The account's keys change, so \
            it cannot read what is written from now on, even with the server's help. It keeps what \
            it has already: change the passwords that matter at their sites. To join again it \
            needs the password and the Account Key. A code takes precedence over a name. On a \
            terminal it shows the devices and asks; elsewhere it does not.
            """
    )

    @Argument(help: "The names or codes of the devices, as sync-client devices prints them.")
    var device: [String]

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup
    var answer: AnswerOptions

    func perform() throws {
        let devices = yes || !Console.canAsk ? device : try agreed()
        try answer.show(RevokeDevices(devices)) { removed in
            DeviceLines.removed(removed) + [DeviceLines.advice(afterRemoving: removed.count)]
        }
    }

    /// Shows the devices that would be removed; returns their codes if they may be.
    private func agreed() throws -> [String] {
        let named = try answer.home.call(RevokeDevices(device, isCarriedOut: false))
        let all = try answer.home.call(ListDevices())
        for line in DeviceLines.lines(named, of: all) { Console.note("  " + line) }
        let question =
            named.count == 1
            ? "Remove this device from the account?"
            : "Remove these \(named.count) devices from the account?"
        guard try SetupQuestion.isYes(question) else {
            throw CommandFailure.refused("No device was removed.")
        }
        return named.map(\.code)
    }
}

/// The lines that show devices.
package enum DeviceLines {
    /// `all`: the devices of the account, if these are some of them.
    package static func lines(
        _ devices: [ShownDevice],
        of all: [ShownDevice]? = nil
    ) -> [String] {
        let width = devices.map { name($0).count }.max() ?? 0
        let names = Dictionary((all ?? devices).map { ($0.code, name($0)) }) { first, _ in first }
        return devices.map { device in
            let name = name(device)
            let padding = String(repeating: " ", count: width - name.count)
            var notes: [String] = device.isThisDevice ? ["this device"] : []
            if let sponsor = device.addedBy {
                notes.append("added by \(names[sponsor] ?? sponsor)")
            }
            if device.hasSignedFalseKeys { notes.append("stored false keys: remove it") }
            return ([name + padding, device.code] + notes).joined(separator: "  ")
        }
    }

    /// What a revocation or a login has removed.
    static func removed(_ devices: [ShownDevice]) -> [String] {
        devices.map { "Removed from the account: \(name($0)) (\($0.code))." }
    }

    package static func advice(afterRemoving count: Int) -> String {
        (count == 1 ? "It keeps what it has" : "They keep what they have")
            + " already: change the passwords that matter at their sites."
    }

    static func name(_ device: ShownDevice) -> String {
        device.name.map { $0.printable } ?? "(unreadable name)"
    }
}

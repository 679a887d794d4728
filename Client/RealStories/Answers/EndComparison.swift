package import Simulation

/// What differs between the end of a simulated story and that of the same story on real programs.
package enum EndComparison {
    package struct Difference: Equatable, Sendable {
        package let device: String
        /// What differs, such as `mail password` or `unsent`.
        package let name: String
        package let simulated: String
        package let real: String

        package init(device: String, name: String, simulated: String, real: String) {
            (self.device, self.name) = (device, name)
            (self.simulated, self.real) = (simulated, real)
        }
    }

    package static func differences(
        simulated: [DeviceEnd],
        real: [DeviceEnd]
    ) -> [Difference] {
        simulated.flatMap { device -> [Difference] in
            guard let other = real.first(where: { $0.name == device.name }) else {
                return [
                    Difference(device: device.name, name: "device", simulated: "here", real: "gone")
                ]
            }
            return differences(device, other)
        }
    }

    private static func differences(_ simulated: DeviceEnd, _ real: DeviceEnd) -> [Difference] {
        func compare(_ name: String, _ first: String, _ second: String) -> Difference? {
            guard first != second else { return nil }
            return Difference(device: real.name, name: name, simulated: first, real: second)
        }
        let states = [simulated, real].map { $0.obstacle?.rawValue ?? "runs" }
        if let difference = compare("state", states[0], states[1]) { return [difference] }
        guard simulated.obstacle == nil else { return [] }
        let names = (simulated.values + real.values).map(\.name)
        let seen = names.indices.filter { !names[..<$0].contains(names[$0]) }.map { names[$0] }
        let values = seen.compactMap { name -> Difference? in
            let first = simulated.values.first { $0.name == name }
            if first == nil, isOfCommands(name) { return nil }
            let second = real.values.first { $0.name == name }
            return compare(name, text(first), text(second))
        }
        let pauses = [simulated, real].map { $0.pause?.rawValue ?? Answers.nothing }
        return values
            + [
                compare("unsent", "\(simulated.unsentCount)", "\(real.unsentCount)"),
                compare("pause", pauses[0], pauses[1]),
            ].compactMap(\.self)
    }

    /// Whether a field comes from the commands, not from a line of the story.
    ///
    /// Every item that a command adds has a title; one of the simulator only if it was set. And
    /// `keychain edit` keeps an earlier password in a field where no account keeps a history.
    private static func isOfCommands(_ name: String) -> Bool {
        name.hasSuffix(" title") || name.contains(" earlier password")
    }

    private static func text(_ value: DeviceEnd.Value?) -> String {
        guard let value else { return Answers.nothing }
        return value.shown + value.conflicts.map { ", conflict \($0)" }.joined()
    }

    /// What differs between two real devices; nil if they show the same.
    static func disagreement(_ devices: [DeviceEnd]) -> String? {
        guard let first = devices.first else { return nil }
        func sorted(_ device: DeviceEnd) -> [String] {
            device.values.map { "\($0.name) \($0.shown)" }.sorted()
        }
        let other = devices.dropFirst().first { sorted($0) != sorted(first) }
        return other.map { "\($0.name) shows something else than \(first.name)" }
    }
}

extension DeviceEnd {
    /// A line for each thing that a device shows, as `show` prints it.
    package var lines: [String] {
        switch obstacle {
        case .killed: return ["does not run"]
        case .locked: return ["is locked"]
        default: break
        }
        var lines = values.map { value in
            "\(value.name) is \(value.shown)"
                + value.conflicts.map { ", conflict \($0)" }.joined()
        }
        if unsentCount > 0 { lines.append("\(unsentCount) unsent") }
        if let pause { lines.append("pause \(pause.rawValue)") }
        return lines.isEmpty ? [Answers.nothing] : lines
    }
}

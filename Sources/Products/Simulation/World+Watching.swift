internal import KSCausality
internal import KSResolution

// What the devices have of one record, in the trace, each time that it changes: to find the step at
// which a world went wrong.

/// The record that a trace shows, and what each device had of it at the last look.
struct WatchedRecord {
    /// The number of an item, or a key.
    let name: String
    var last: [Int: String] = [:]
}

extension World {
    /// Adds what has changed of the watched record to the trace, but not to its hash.
    func noteWatched() {
        guard let watched else { return }
        for device in devices {
            let text: String
            do {
                let record =
                    try Int(watched.name).map(device.record(item:))
                    ?? device.record(key: watched.name)
                text = record.watchText
            } catch {
                text = "\(error)"
            }
            guard watched.last[device.index] != text else { continue }
            self.watched?.last[device.index] = text
            trace.note("    \(device.name) has \(text)", atMilliseconds: clock.milliseconds)
        }
    }
}

extension LocalRecord {
    fileprivate var watchText: String {
        let parts = [
            mirror.map { "from the server \($0.watchText)" },
            stub.map { "deleted \($0.watchText)" },
            onItsWay.map { "sent \($0.state.watchText)" },
            edit.map { "unsent \($0.watchText)" },
        ].compactMap(\.self)
        return parts.isEmpty ? "nothing" : parts.joined(separator: "; ")
    }
}

extension RecordState {
    fileprivate var watchText: String {
        let held = values.keys.filter(\.isWatched).sorted().map { name in
            let texts = (values[name] ?? []).map { "\($0.value.watchText) \($0.stamp.watchText)" }
            return "\(name.watchText) [\(texts.joined(separator: ", "))]"
        }
        let past = history.filter(\.name.isWatched)
            .map { "\($0.value.watchText) \($0.stamp.watchText)" }
        let texts = [
            isAlive ? "alive" : "dead", held.joined(separator: " "),
            past.isEmpty ? "" : "past [\(past.joined(separator: ", "))]",
            "seen [\(context.watchText)]",
            deleted.isEmpty ? "" : "deleted [\(deleted.watchText)]",
        ]
        return texts.filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension PendingEdit {
    fileprivate var watchText: String {
        let set = assignments.keys.filter(\.isWatched).sorted().map { name in
            let base = assignments[name]?.base.sorted().map(\.watchText) ?? []
            return "\(name.watchText) over [\(base.joined(separator: " "))]"
        }
        let texts = [
            restored.map { (isPutUp ? "put up {" : "restored {") + $0.watchText + "}" },
            deleting.map { "deletes [\($0.watchText)]" },
            set.isEmpty ? nil : "sets \(set.joined(separator: ", "))",
            counters.isEmpty ? nil : "counts",
        ].compactMap(\.self)
        return texts.joined(separator: " ")
    }
}

extension ValueName {
    /// Not what every write of an item sets.
    fileprivate var isWatched: Bool { !isField || self == .note }

    fileprivate var watchText: String {
        if self == .secret { return "secret" }
        return kind == Kind.element ? "\(nameBytes.prefix(4))" : "\(kind):\(name)"
    }
}

extension [UInt8]? {
    fileprivate var watchText: String {
        guard let self else { return "removed" }
        let text = String(decoding: self.prefix(40), as: UTF8.self)
        return text.utf8.allSatisfy { (32..<127).contains($0) } ? text : "\(self.count) bytes"
    }
}

extension Stamp {
    /// The time in milliseconds since the world began, and the end of the actor's number.
    fileprivate var watchText: String {
        let start = World.startMilliseconds
        let milliseconds = time.milliseconds
        let since = milliseconds >= start ? "\(milliseconds - start)" : "-\(start - milliseconds)"
        return "\(since)@\(String(actor.rawValue % 4096, radix: 16))"
    }
}

extension StampContext {
    fileprivate var watchText: String {
        (highestStamps.map { "…\($0.watchText)" } + exactStamps.map(\.watchText))
            .joined(separator: " ")
    }
}

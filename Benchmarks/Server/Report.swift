internal import Foundation
internal import Synchronization

/// The lines of a run: what is measured, its aim, and whether that is reached.
enum Report {
    private static let missed = Mutex(0)

    static var missedCount: Int { missed.withLock { $0 } }

    /// A sentence about what is going on.
    static func note(_ text: String) {
        print("      \(text)")
        fflush(nil)
    }

    static func title(_ text: String) {
        print("\n\(text)")
        fflush(nil)
    }

    /// A figure without an aim.
    static func show(_ what: String, _ figure: String) {
        line(what, figure, "")
    }

    /// A figure that may be this high.
    static func show(_ what: String, _ figure: Double, _ unit: String, atMost aim: Double) {
        line(what, "\(text(figure)) \(unit)", verdict(figure <= aim, "at most \(text(aim))"))
    }

    /// A figure that has to be this high.
    static func show(_ what: String, _ figure: Double, _ unit: String, atLeast aim: Double) {
        line(what, "\(text(figure)) \(unit)", verdict(figure >= aim, "at least \(text(aim))"))
    }

    private static func verdict(_ holds: Bool, _ aim: String) -> String {
        if !holds { missed.withLock { $0 += 1 } }
        return "aim \(aim): \(holds ? "holds" : "MISSED")"
    }

    private static func line(_ what: String, _ figure: String, _ aim: String) {
        let left = what.padding(toLength: max(52, what.count), withPad: " ", startingAt: 0)
        print("\(left) \(figure)\(aim.isEmpty ? "" : "   (\(aim))")")
        fflush(nil)
    }

    /// Three digits, without a fraction from 100 on.
    static func text(_ figure: Double) -> String {
        if abs(figure) >= 100 { return String(Int(figure.rounded())) }
        if abs(figure) >= 10 { return String((figure * 10).rounded() / 10) }
        return String((figure * 100).rounded() / 100)
    }
}

/// Times of many requests, in microseconds.
struct Latencies {
    private var sorted: [UInt32]

    init(_ microseconds: [UInt32]) { sorted = microseconds.sorted() }

    var count: Int { sorted.count }

    func milliseconds(atPercent percent: Double) -> Double {
        guard !sorted.isEmpty else { return 0 }
        let index = Int((Double(sorted.count) * percent / 100).rounded(.up)) - 1
        return Double(sorted[min(max(index, 0), sorted.count - 1)]) / 1000
    }

    var text: String {
        let parts = [("p50", 50), ("p99", 99), ("p99.9", 99.9), ("max", 100)].map {
            "\($0.0) \(Report.text(milliseconds(atPercent: $0.1))) ms"
        }
        return parts.joined(separator: ", ")
    }
}

/// The machine that a run's figures are of.
enum Machine {
    static var text: String {
        let information = contents(of: "/proc/cpuinfo")
        let model =
            information.split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "?"
        let memory =
            contents(of: "/proc/meminfo").split(separator: "\n").first?
            .split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let kernel = contents(of: "/proc/sys/kernel/osrelease").trimmingCharacters(in: .newlines)
        let count = ProcessInfo.processInfo.activeProcessorCount
        return "\(count) processors (\(model)), \(memory >> 20) GiB, Linux \(kernel)"
    }

    /// The average number of running programs in the last minute.
    static var load: String {
        contents(of: "/proc/loadavg").split(separator: " ").first.map(String.init) ?? "?"
    }

    /// Processor time of a process so far; 0 if it has ended.
    static func processorSeconds(of process: Int) -> Double {
        let fields = statistics(of: process)
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12])
        else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Processor time so far of the processes that this one has started, by their ids.
    static func processorSecondsOfChildren(of parent: Int) -> [Int: Double] {
        // A folder of /proc that has gone has no process.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let children = names.compactMap { Int($0) }.filter {
            statistics(of: $0).dropFirst().first.flatMap { Int($0) } == parent
        }
        return Dictionary(uniqueKeysWithValues: children.map { ($0, processorSeconds(of: $0)) })
    }

    /// The fields of /proc/PROCESS/stat from the state on.
    private static func statistics(of process: Int) -> [Substring] {
        // The name before the last parenthesis may have spaces.
        contents(of: "/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ")
            ?? []
    }

    /// Files of /proc always can be read.
    static func contents(of path: String) -> String {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
            ?? ""
    }
}

internal import Foundation

/// The daemon of a home, as the system sees it.
struct DaemonProcess {
    private let process: String

    init(home: String) throws {
        let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc")
        let found = processes.first { process in
            // Other processes come and go.
            let line = try? Data(contentsOf: URL(filePath: "/proc/\(process)/cmdline"))
            let words = (line ?? Data()).split(separator: 0)
            return words.contains(Data("daemon".utf8)) && words.contains(Data(home.utf8))
        }
        guard let found else { throw Program.Failed() }
        process = found
    }

    /// What belongs to this process alone.
    func privateBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/smaps_rollup", encoding: .utf8)
        guard let kibibytes = text.firstMatch(of: /Private_Dirty: +(\d+) kB/)?.output.1,
            let count = Int(kibibytes)
        else { throw Program.Failed() }
        return count << 10
    }

    /// The processor time that it has used so far, on all processors together.
    func processorSeconds() throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        // The program's name, in brackets, may have blanks; its two times are the 14th and 15th.
        let words = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard words.count > 12, let user = Double(words[11]), let system = Double(words[12]) else {
            throw Program.Failed()
        }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}

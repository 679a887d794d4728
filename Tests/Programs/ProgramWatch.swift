internal import Glibc
internal import Subprocess
internal import Synchronization
internal import SystemPackage

/// Tracks the running programs, and ends those that are left when this process ends.
///
/// A shell keeps the ids beside this process, and kills them once its input ends: also when this
/// process was killed or has crashed.
final class ProgramWatch: Sendable {
    static let shared = Task { try await ProgramWatch() }

    /// Each process leads a group of its own, which is killed with it.
    private static let script = """
        trap '' HUP INT TERM
        running=' '
        while read -r mark id; do
            case $mark in
            +) running="$running$id " ;;
            -) case "$running" in
                *" $id "*) running="${running%% $id *} ${running#* $id }" ;;
                esac ;;
            esac
        done
        for id in $running; do
            kill -s KILL -- "-$id" || kill -s KILL "$id"
        done
        """

    private let folders = Mutex<[Int32: String]>([:])
    private let list: FileDescriptor

    private init() async throws {
        let pipe = try FileDescriptor.closingOnExecPipe()
        let input = pipe.readEnd
        list = pipe.writeEnd
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            // The shell runs as long as this process.
            Task {
                var options = PlatformOptions()
                options.createSession = true
                var hasStarted = false
                do {
                    _ = try await Subprocess.run(
                        .path("/bin/sh"),
                        arguments: ["-c", Self.script],
                        platformOptions: options,
                        input: .fileDescriptor(input, closeAfterSpawningProcess: true),
                        output: .discarded,
                        error: .discarded
                    ) { _ in
                        hasStarted = true
                        continuation.resume()
                    }
                } catch {
                    if !hasStarted { continuation.resume(throwing: error) }
                }
            }
        }
    }

    func begin(_ processID: Int32, folder: String) {
        folders.withLock { $0[processID] = folder }
        write("+", processID)
    }

    func end(_ processID: Int32) {
        folders.withLock { $0[processID] = nil }
        write("-", processID)
    }

    /// The programs that run and were started in a folder.
    func processIDs(folder: String) -> [Int32] {
        folders.withLock { folders in
            folders.compactMap { $0.value == folder ? $0.key : nil }
        }
    }

    private func write(_ mark: String, _ processID: Int32) {
        // If this fails, a process may outlive this one.
        _ = try? list.writeAll("\(mark) \(processID)\n".utf8)
    }
}

internal import Glibc
internal import Subprocess
internal import Synchronization
internal import SystemPackage

/// One run of a program, from its start to its end; the process is known by its id.
final class ProgramRun: Sendable {
    private enum Phase {
        case starting
        case running(processID: Int32)
        case ended(status: Int32)
    }

    private struct State: ~Copyable {
        var phase = Phase.starting
        var waiting: [CheckedContinuation<Int32, Never>] = []
        /// The end of a pipe, for the program's input.
        var keys: FileDescriptor?
    }

    private let folder: String
    private let state = Mutex(State())

    init(folder: String) {
        self.folder = folder
    }

    var isRunning: Bool {
        state.withLock { state in
            if case .ended = state.phase { false } else { true }
        }
    }

    /// Starts the program when there is a place for it.
    ///
    /// - Returns: its process id.
    func start(
        _ configuration: Configuration,
        openingFiles open: @escaping @Sendable () throws -> ProgramFiles
    ) async throws -> Int32 {
        let watch = try await ProgramWatch.shared.value
        await Places.programs.take()
        return try await withCheckedThrowingContinuation { continuation in
            // The task ends with the program; `send`, or the end of this process, ends that.
            Task {
                await carryOut(configuration, open: open, watch: watch) { started in
                    continuation.resume(with: started)
                }
                Places.programs.giveBack()
            }
        }
    }

    /// `report` is called once, when the program runs or cannot be started.
    private func carryOut(
        _ configuration: Configuration,
        open: @Sendable () throws -> ProgramFiles,
        watch: ProgramWatch,
        report: (Result<Int32, any Error>) -> Void
    ) async {
        var processID: Int32?
        var status: Int32 = -SIGKILL
        do {
            let files = try open()
            state.withLock { $0.keys = files.keys }
            let end = try await Subprocess.run(
                configuration,
                input: .fileDescriptor(files.input, closeAfterSpawningProcess: true),
                output: .fileDescriptor(files.output, closeAfterSpawningProcess: true),
                error: .fileDescriptor(files.errors, closeAfterSpawningProcess: true)
            ) { execution in
                let id = execution.processIdentifier.value
                processID = id
                watch.begin(id, folder: folder)
                state.withLock { $0.phase = .running(processID: id) }
                report(.success(id))
            }
            switch end.terminationStatus {
            case .exited(let code): status = code
            case .signaled(let number): status = -number
            }
        } catch  where processID == nil {
            report(.failure(error))
        } catch {
            // Its status is unknown; it counts as killed.
        }
        finish(status)
        if let processID { watch.end(processID) }
    }

    private func finish(_ status: Int32) {
        let waiting = state.withLock { state in
            state.phase = .ended(status: status)
            // The pipe has no reader any more.
            try? state.keys?.close()
            state.keys = nil
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: status) }
    }

    @discardableResult
    func waitUntilEnded() async -> Int32 {
        await withCheckedContinuation { continuation in
            let status: Int32? = state.withLock { state in
                if case .ended(let status) = state.phase { return status }
                state.waiting.append(continuation)
                return nil
            }
            if let status { continuation.resume(returning: status) }
        }
    }

    func send(_ signal: Int32) {
        state.withLock { state in
            guard case .running(let processID) = state.phase else { return }
            Glibc.kill(processID, signal)
        }
    }

    func type(_ keys: String) throws {
        try state.withLock { state in
            _ = try state.keys?.writeAll(keys.utf8)
        }
    }
}

/// The files that a program starts with; they are closed here once it has them.
struct ProgramFiles: Sendable {
    let input: FileDescriptor
    let output: FileDescriptor
    let errors: FileDescriptor
    let keys: FileDescriptor?

    init(input: ProgramInput, mark: String, output: String, errors: String) throws {
        var opened: [FileDescriptor] = []
        do {
            switch input {
            case .typed:
                let pipe = try FileDescriptor.closingOnExecPipe()
                opened += [pipe.readEnd, pipe.writeEnd]
                self.input = pipe.readEnd
                keys = pipe.writeEnd
            case .text, .nothing:
                let path = if case .text = input { mark + ".in" } else { "/dev/null" }
                let file = try FileDescriptor.open(
                    FilePath(path),
                    .readOnly,
                    options: .closeOnExec
                )
                opened.append(file)
                self.input = file
                keys = nil
            }
            self.output = try Self.new(output)
            opened.append(self.output)
            self.errors = try Self.new(errors)
        } catch {
            // The first error matters more than a failed close.
            for file in opened { try? file.close() }
            throw error
        }
    }

    private static func new(_ path: String) throws -> FileDescriptor {
        try FileDescriptor.open(
            FilePath(path),
            .writeOnly,
            options: [.create, .truncate, .closeOnExec],
            permissions: .ownerReadWrite
        )
    }
}

extension FileDescriptor {
    /// A pipe that is not inherited by programs which are started another way.
    static func closingOnExecPipe() throws -> (readEnd: FileDescriptor, writeEnd: FileDescriptor) {
        let pipe = try FileDescriptor.pipe()
        for end in [pipe.readEnd, pipe.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        return pipe
    }
}

internal import Glibc

extension Program {
    /// What a program wrote, and how it ended.
    package struct Captured {
        package let output: [UInt8]
        package let errors: [UInt8]
        package let end: ProgramEnd
        /// Whether it wrote more than was taken, and was ended for it.
        package let isCut: Bool
    }

    /// Runs the program until it ends, and takes what it writes.
    ///
    /// - Parameters:
    ///   - bytesMax: a program that writes more to its standard output is killed.
    ///   - input: its standard input; ours by default.
    ///   - leadsGroup: whether it leads a group of its own.
    ///   - whenStarted: gets the program's process id.
    /// - Returns: both streams, and how the program ended.
    /// - Throws: ``RunError`` if the system cannot start it.
    package func capture(
        bytesMax: Int,
        input: Int32? = nil,
        leadsGroup: Bool = false,
        whenStarted: (Int32) -> Void = { _ in }
    ) throws(RunError) -> Captured {
        guard let output = Pipe() else { throw .system(program: name, errno: errno) }
        defer { close(output.reading) }
        guard let errors = Pipe() else {
            close(output.writing)
            throw .system(program: name, errno: errno)
        }
        defer { close(errors.reading) }
        let started: StartedProgram
        do throws(RunError) {
            started = try StartedProgram(
                self,
                input: input,
                output: output.writing,
                errors: errors.writing,
                leadsGroup: leadsGroup
            )
        } catch {
            for end in [output, errors] { close(end.writing) }
            throw error
        }
        whenStarted(started.processID)
        // Now the program alone has these ends.
        for end in [output, errors] { close(end.writing) }
        var streams = [Stream(output.reading, bytesMax), Stream(errors.reading, 64 << 10)]
        var isCut = false
        while streams.contains(where: \.isOpen) {
            var events = streams.filter(\.isOpen).map {
                pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
            }
            guard unsafe poll(&events, nfds_t(events.count), -1) > 0 else { continue }
            for event in events where event.revents != 0 {
                for index in streams.indices where streams[index].descriptor == event.fd {
                    streams[index].read()
                }
            }
            if streams[0].isFull, !isCut {
                isCut = true
                started.send(SIGKILL)
            }
        }
        while true {
            if case .ended(let end) = try started.nextChange(of: self) {
                return Captured(
                    output: streams[0].bytes,
                    errors: streams[1].bytes,
                    end: end,
                    isCut: isCut
                )
            }
            // It has closed both streams, and ends at once.
            usleep(1000)
        }
    }

    /// One end of a pipe that is read until it closes.
    private struct Stream {
        let descriptor: Int32
        private(set) var bytes: [UInt8] = []
        private(set) var isOpen = true
        private(set) var isFull = false
        private let bytesMax: Int

        init(_ descriptor: Int32, _ bytesMax: Int) {
            (self.descriptor, self.bytesMax) = (descriptor, bytesMax)
        }

        mutating func read() {
            var part = [UInt8](repeating: 0, count: 16 << 10)
            let count = unsafe Glibc.read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { return }
            guard count > 0 else {
                isOpen = false
                return
            }
            // The rest is read and forgotten, so that the program does not wait.
            guard bytes.count + count <= bytesMax else {
                isFull = true
                return
            }
            bytes += part[..<count]
        }
    }
}

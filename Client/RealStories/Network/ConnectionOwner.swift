internal import Foundation
internal import Glibc

/// Finds out which process has a connection, since a copied home has its original's address.
enum ConnectionOwner {
    /// The process that has a connection, of those given.
    ///
    /// `port` is that of its own end, `other` of the other one.
    static func find(port: UInt16, to other: UInt16, among processIDs: [Int32]) -> Int32? {
        guard let inode = inode(port: port, to: other, in: table()) else { return nil }
        return processIDs.first { has($0, inode: inode) }
    }

    /// The text of `/proc/net/tcp`; empty where the system has no such file.
    ///
    /// The kernel gives it in parts of a page, each of which looks like the end of a usual file.
    private static func table() -> String {
        let descriptor = unsafe Glibc.open("/proc/net/tcp", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe read(descriptor, &part, part.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += part[..<count]
        }
    }

    /// The number of a connection's end in the text of `/proc/net/tcp`.
    static func inode(port: UInt16, to other: UInt16, in table: String) -> Substring? {
        for line in table.split(separator: "\n").dropFirst() {
            let columns = line.split(separator: " ")
            guard columns.count > 9, end(columns[1]) == port, end(columns[2]) == other else {
                continue
            }
            return columns[9]
        }
        return nil
    }

    private static func end(_ address: Substring) -> UInt16? {
        address.split(separator: ":").last.flatMap { UInt16($0, radix: 16) }
    }

    private static func has(_ processID: Int32, inode: Substring) -> Bool {
        let folder = "/proc/\(processID)/fd"
        let files = FileManager.default
        // A process that has ended has no files.
        let names = (try? files.contentsOfDirectory(atPath: folder)) ?? []
        return names.contains { name in
            // It may close a file meanwhile.
            (try? files.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"))
                == "socket:[\(inode)]"
        }
    }
}

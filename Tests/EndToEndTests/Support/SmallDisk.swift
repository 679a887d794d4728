import Foundation
import KSTestPrograms
import Testing

/// A file system of a few megabytes, so that it can be full.
struct SmallDisk {
    private let path: String
    private let world: World

    /// Whether this user may mount anything.
    static func canMount() async throws -> Bool {
        try await World.with { world in
            guard let disk = try await mount(at: world.path("disk"), in: world) else {
                return false
            }
            await disk.unmount()
            return true
        }
    }

    /// Nil where this user may not mount anything.
    static func mount(
        at path: String,
        megabytes: Int = 16,
        in world: World
    ) async throws -> SmallDisk? {
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let result = try await RunningProgram(
            "/usr/bin/mount",
            ["-t", "tmpfs", "-o", "size=\(megabytes)m,mode=0700", "tmpfs", path],
            folder: world.folder
        ).result()
        return result.status == 0 ? SmallDisk(path: path, world: world) : nil
    }

    /// Runs `body` with a file system of its own at `path`, and unmounts it.
    static func with(
        at path: String,
        megabytes: Int = 16,
        in world: World,
        _ body: (SmallDisk) async throws -> Void
    ) async throws {
        let disk = try #require(try await mount(at: path, megabytes: megabytes, in: world))
        do {
            try await body(disk)
        } catch {
            await disk.unmount()
            throw error
        }
        await disk.unmount()
    }

    private var filler: String { path + "/filler" }

    func fill() throws {
        try Data().write(to: URL(filePath: filler))
        let file = try FileHandle(forWritingTo: URL(filePath: filler))
        var size = 1 << 20
        while size >= 512 {
            do {
                try file.write(contentsOf: Data(count: size))
            } catch {
                // So much space is no longer free; tries half.
                size /= 2
            }
        }
        try file.close()
    }

    func free() throws { try FileManager.default.removeItem(atPath: filler) }

    /// Remounting needs that no file is open for writing.
    func makeReadOnly() async throws {
        let result = try await RunningProgram(
            "/usr/bin/mount",
            ["-o", "remount,ro", path],
            folder: world.folder
        ).result()
        try #require(result.status == 0, "\(result)")
    }

    func unmount() async {
        // If it fails, the removal of the folder fails too, and so does the test.
        _ = try? await RunningProgram(
            "/usr/bin/umount",
            ["--lazy", path],
            folder: world.folder
        ).result()
    }
}

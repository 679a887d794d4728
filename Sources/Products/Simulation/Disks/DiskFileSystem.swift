internal import GRDB
internal import GRDBSQLite
internal import Glibc
internal import Synchronization

/// Lets SQLite open the databases of simulated disks.
enum DiskFileSystem {
    /// SQLite opens no URIs, which name a disk.
    struct NoURIs: Error, CustomStringConvertible {
        var description: String {
            "this SQLite opens no URIs; use one that was built with SQLITE_USE_URI, as Debian's is"
        }
    }

    private struct Disks {
        struct Entry { weak var disk: SimulatedDisk? }
        var newest = 0
        var byNumber: [Int: Entry] = [:]
    }

    /// What SQLite allocates for an open file.
    @unsafe
    private struct Handle {
        let base: sqlite3_file
        let file: Unmanaged<OpenDiskFile>?
    }

    private typealias Code = ResultCode
    private typealias Trouble = SimulatedDisk.Trouble

    private static let name = "keychain-sync-simulated-disk"
    private static let disks = Mutex(Disks())
    private static let pathBytesMax: Int32 = 512

    /// Opens the database of a disk.
    static func open(
        _ disk: SimulatedDisk,
        _ configuration: Configuration
    ) throws -> DatabaseQueue {
        guard unsafe sqlite3_compileoption_used("USE_URI") != 0 else { throw NoURIs() }
        precondition(isRegistered, "SQLite takes a further file system")
        let place = "\(disk.number)/\(disk.startCount)/\(SimulatedDisk.databaseName)"
        return try DatabaseQueue(
            path: "file:\(place)?vfs=\(name)",
            configuration: configuration
        )
    }

    // MARK: Disks

    static func takeNumber() -> Int {
        disks.withLock { disks in
            disks.newest += 1
            return disks.newest
        }
    }

    static func note(_ disk: SimulatedDisk) {
        disks.withLock { $0.byNumber[disk.number] = Disks.Entry(disk: disk) }
    }

    static func forget(_ number: Int) {
        disks.withLock { _ = $0.byNumber.removeValue(forKey: number) }
    }

    /// The disk and the name of the file in it.
    private static func place(_ path: UnsafePointer<CChar>?) -> (SimulatedDisk, String)? {
        guard let path = unsafe path else { return nil }
        let parts = unsafe String(cString: path).split(separator: "/").map(String.init)
        guard parts.count == 3, let number = Int(parts[0]),
            let disk = disks.withLock({ $0.byNumber[number]?.disk }),
            // A connection from before a power failure deletes no log when it closes.
            Int(parts[1]) == disk.startCount
        else { return nil }
        return (disk, parts[2])
    }

    // MARK: What SQLite calls

    private static let isRegistered: Bool = {
        // Everything but files is as usual. SQLite keeps the pointers as long as the process runs.
        guard let usual = unsafe sqlite3_vfs_find(nil) else { return false }
        let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        unsafe system.initialize(to: usual.pointee)
        unsafe system.pointee.pNext = nil
        unsafe system.pointee.szOsFile = Int32(MemoryLayout<Handle>.size)
        unsafe system.pointee.mxPathname = pathBytesMax
        unsafe system.pointee.zName = UnsafePointer(strdup(name))
        unsafe system.pointee.xOpen = { _, path, file, flags, flagsFound in
            unsafe DiskFileSystem.open(path, file, flags, flagsFound)
        }
        unsafe system.pointee.xDelete = { _, path, _ in
            guard let (disk, name) = unsafe DiskFileSystem.place(path) else {
                return Code.SQLITE_IOERR_DELETE.rawValue
            }
            disk.file(name).replace(with: [])
            return SQLITE_OK
        }
        unsafe system.pointee.xAccess = { _, path, _, result in
            let place = unsafe DiskFileSystem.place(path)
            unsafe result?.pointee = place.map { $0.0.hasFile($0.1) } == true ? 1 : 0
            return SQLITE_OK
        }
        unsafe system.pointee.xFullPathname = { _, path, size, result in
            guard let path = unsafe path, let result = unsafe result,
                unsafe strlen(path) < Int(size)
            else { return SQLITE_CANTOPEN }
            unsafe strcpy(result, path)
            return SQLITE_OK
        }
        return unsafe sqlite3_vfs_register(system, 0) == SQLITE_OK
    }()

    private nonisolated(unsafe) static let methods: UnsafePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        unsafe methods.initialize(to: sqlite3_io_methods())
        // With shared memory for the index of a log, without mapped files.
        unsafe methods.pointee.iVersion = 2
        unsafe methods.pointee.xClose = { file in
            let handle = unsafe DiskFileSystem.handle(file)
            unsafe handle?.pointee.file?.release()
            return SQLITE_OK
        }
        unsafe methods.pointee.xRead = { file, buffer, count, offset in
            let buffer = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))
            return unsafe DiskFileSystem.use(file, else: Code.SQLITE_IOERR_READ.rawValue) {
                (file) throws(SimulatedDisk.Trouble) in
                try unsafe file.read(buffer, at: Int(offset))
                    ? SQLITE_OK : Code.SQLITE_IOERR_SHORT_READ.rawValue
            }
        }
        unsafe methods.pointee.xWrite = { file, buffer, count, offset in
            let buffer = unsafe UnsafeRawBufferPointer(start: buffer, count: Int(count))
            return unsafe DiskFileSystem.use(file, else: Code.SQLITE_IOERR_WRITE.rawValue) {
                (file) throws(SimulatedDisk.Trouble) in
                try unsafe file.write(buffer, at: Int(offset))
                return SQLITE_OK
            }
        }
        unsafe methods.pointee.xTruncate = { file, size in
            unsafe DiskFileSystem.use(file, else: Code.SQLITE_IOERR_TRUNCATE.rawValue) {
                (file) throws(SimulatedDisk.Trouble) in
                try file.truncate(to: Int(size))
                return SQLITE_OK
            }
        }
        unsafe methods.pointee.xSync = { file, _ in
            unsafe DiskFileSystem.use(file, else: Code.SQLITE_IOERR_FSYNC.rawValue) {
                (file) throws(SimulatedDisk.Trouble) in
                try file.sync()
                return SQLITE_OK
            }
        }
        unsafe methods.pointee.xFileSize = { file, size in
            unsafe DiskFileSystem.use(file, else: Code.SQLITE_IOERR_FSTAT.rawValue) {
                (file) throws(SimulatedDisk.Trouble) in
                unsafe size?.pointee = sqlite3_int64(file.bytes.count)
                return SQLITE_OK
            }
        }
        // One connection has a database open.
        unsafe methods.pointee.xLock = { _, _ in SQLITE_OK }
        unsafe methods.pointee.xUnlock = { _, _ in SQLITE_OK }
        unsafe methods.pointee.xCheckReservedLock = { _, result in
            unsafe result?.pointee = 0
            return SQLITE_OK
        }
        unsafe methods.pointee.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        // As SQLite takes every usual disk to be.
        unsafe methods.pointee.xSectorSize = { _ in 4096 }
        unsafe methods.pointee.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
        unsafe methods.pointee.xShmMap = { file, index, byteCount, isWanted, region in
            unsafe DiskFileSystem.use(file, else: Code.SQLITE_IOERR_SHMMAP.rawValue) {
                (file) throws(SimulatedDisk.Trouble) in
                let found = unsafe file.sharedRegion(
                    Int(index),
                    byteCount: Int(byteCount),
                    isWanted: isWanted != 0
                )
                unsafe region?.pointee = found?.baseAddress
                return SQLITE_OK
            }
        }
        unsafe methods.pointee.xShmLock = { _, _, _, _ in SQLITE_OK }
        unsafe methods.pointee.xShmBarrier = { _ in }
        unsafe methods.pointee.xShmUnmap = { file, _ in
            unsafe DiskFileSystem.use(file, else: SQLITE_OK) {
                (file) throws(SimulatedDisk.Trouble) in
                file.freeShared()
                return SQLITE_OK
            }
        }
        return unsafe UnsafePointer(methods)
    }()

    private static func handle(
        _ file: UnsafeMutablePointer<sqlite3_file>?
    ) -> UnsafeMutablePointer<Handle>? {
        unsafe UnsafeMutableRawPointer(file)?.assumingMemoryBound(to: Handle.self)
    }

    private static func open(
        _ path: UnsafePointer<CChar>?,
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ flags: Int32,
        _ flagsFound: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        // A file without a name is for the connection alone.
        let found = unsafe path == nil ? (SimulatedDisk(), "temporary") : place(path)
        guard let (disk, name) = found, !disk.isOff, let handle = unsafe handle(file) else {
            unsafe file?.pointee.pMethods = nil
            return SQLITE_CANTOPEN
        }
        unsafe handle.initialize(
            to: Handle(
                base: sqlite3_file(pMethods: methods),
                file: .passRetained(OpenDiskFile(disk: disk, file: disk.file(name)))
            )
        )
        unsafe flagsFound?.pointee = flags
        return SQLITE_OK
    }

    /// Uses an open file.
    ///
    /// - Returns: what `body` returns; `code` without power, SQLITE_FULL on a full disk.
    private static func use(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        else code: Int32,
        _ body: (DiskFile) throws(Trouble) -> Int32
    ) -> Int32 {
        guard let open = unsafe handle(file)?.pointee.file?.takeUnretainedValue() else {
            return code
        }
        do throws(Trouble) {
            return try body(open.file)
        } catch {
            return error == .full ? SQLITE_FULL : code
        }
    }
}

/// A file that SQLite has open, which keeps its disk.
private final class OpenDiskFile {
    let disk: SimulatedDisk
    let file: DiskFile

    init(disk: SimulatedDisk, file: DiskFile) { (self.disk, self.file) = (disk, file) }
}

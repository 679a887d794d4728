internal import KSSyncEngine

extension Story {
    /// The server of the account; after a move the newest one.
    public var server: Server { Server(story: self) }

    /// The server of a story, and what its operator does.
    public struct Server {
        let story: Story
        private var world: World { story.world }

        /// Notes a step of the server.
        private func note(_ what: String) {
            world.trace("the server \(what)")
            world.note(step: "server \(what)", of: .server(world.servers.count - 1))
        }

        // MARK: What happens to it

        /// Nobody reaches the server until it comes back.
        public func goAway() {
            note("is away")
            world.isServerAway = true
        }

        /// The server is in reach again.
        public func comeBack() throws {
            note("is back")
            world.isServerAway = false
            for device in world.devices where device.isOnline {
                device.noticeNetwork()
                try world.poll(device)
            }
        }

        /// Fills the disk of the server: it answers what it has, and takes no write, until
        /// ``freeDisk()``.
        public func fillDisk() {
            note("has a full disk")
            world.server.disk.isFull = true
        }

        /// Makes room on the disk of the server; devices try again during the next
        /// ``Story/sync()``, or after some seconds.
        public func freeDisk() {
            note("has room on its disk")
            world.server.disk.isFull = false
        }

        /// Lets the power of the server fail in the middle of a write to its disk, while it answers
        /// a device.
        ///
        /// What it had not synced to the disk is lost, kept or torn, as the seed decides. It starts
        /// again at once, and the device gets no answer.
        /// - Parameter count: at which further write, counted from 1; a request has several.
        /// - Throws: ``StoryError/refused(_:)`` for a count below 1.
        public func crash(atWrite count: Int = 1) throws {
            try Device.checkCount(count)
            note("will lose its power at write \(count)")
            world.failPower(of: world.server.disk, atWrite: count)
        }

        private func checkRoom() throws(StoryError) {
            guard !world.server.disk.isFull else { throw .diskFull(device: nil) }
        }

        /// Makes a backup, which replaces the one before.
        public func backUp() throws {
            note("is backed up")
            world.serverBackup = world.server.backup()
        }

        /// Puts the server back to its backup.
        ///
        /// - Parameter isAnnounced: whether by `sync-server restore`. Otherwise only its file was
        ///   put back, and it does not know that it went back.
        /// - Throws: ``StoryError/noCopy(device:)`` without a backup.
        public func restore(isAnnounced: Bool = true) throws {
            guard let backup = world.serverBackup else { throw StoryError.noCopy(device: nil) }
            try checkRoom()
            note("is restored\(isAnnounced ? "" : ", and does not know it")")
            try world.server.restore(backup, isAnnounced: isAnnounced)
        }

        /// Takes everything from the server, the account too.
        public func empty() throws {
            guard !world.server.isEmpty else { throw StoryError.serverIsEmpty(true) }
            try checkRoom()
            note("loses everything")
            try world.server.empty()
        }

        /// Makes the account again from what a device has, whose user says yes.
        public func rebuild(from device: Device) throws {
            guard world.server.isEmpty else { throw StoryError.serverIsEmpty(false) }
            try checkRoom()
            guard device.device.isReachable, !world.isServerAway else {
                throw StoryError.offline(device: device.name)
            }
            let isDone = try story.reporting(device.device) {
                try world.rebuildAccount(by: device.device)
            }
            guard isDone else { throw StoryError.notUpToDate(device: device.name) }
        }

        /// Begins another server with a copy of this one; both can be reached.
        ///
        /// A device stays with the one before until ``Story/Device/moveToNewServer()``.
        public func move() throws {
            world.trace("the account gets another server")
            let server = world.server
            world.servers.append(
                try SimulatedServer(with: server.backup(), from: server, isAnnounced: false)
            )
        }

        /// Removes the deleted records that may go: after 30 days, and once every device has
        /// applied the deletion or was silent for 90 days.
        ///
        /// - Returns: how many were removed.
        @discardableResult
        public func removeDeleted() throws -> Int {
            guard !world.server.isEmpty else { throw StoryError.serverIsEmpty(true) }
            try checkRoom()
            let count = try world.server.removeDeleted(nil, isClockSet: false)
            note("removes deleted records: \(count)")
            return count
        }

        // MARK: Questions

        /// How many records of living items and keys the server holds.
        public func recordCount() throws -> Int {
            try world.server.recordCount(isDeleted: false)
        }

        /// How many records of deleted items and keys the server holds.
        public func deletedRecordCount() throws -> Int {
            try world.server.recordCount(isDeleted: true)
        }

        /// Whether this text stands anywhere in the server's database, in the clear.
        public func canRead(_ text: String) throws -> Bool {
            try world.server.holds(Array(text.utf8))
        }
    }
}

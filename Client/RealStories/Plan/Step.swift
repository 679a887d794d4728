package import KSKeyValues

/// What the network does between a device and the server.
package enum Link: Equatable, Sendable {
    case open
    case offline
    /// What the server answers is lost.
    case oneWay
    /// Each message takes this long.
    case slow(milliseconds: Int)
    /// So many requests or their answers are lost, each with its connection.
    case lossy(percent: Int)

    package var isLossy: Bool { if case .lossy = self { true } else { false } }
}

/// One thing that is done to the real programs.
package enum Step: Equatable, Sendable {
    case command(Command)
    /// A write for which `sync-client kv` has no command: the call that programs make.
    case write(device: String, key: String, EntryWrite)
    case setLink(device: String, Link)
    case startDaemon(String)
    case killDaemon(String)
    /// The files of its database are copied.
    case copyDatabase(String)
    case putDatabaseBack(String)
    /// Its home is copied, for a device that is not there yet.
    case copyHome(of: String, to: String)
    case setServerAway(Bool)
    case startServer
    case stopServer
    /// The server's store goes; its key stays.
    case removeStore
    /// The file of the store is replaced by the newest backup.
    case putStoreBack
    /// Another server begins, with a copy of the data.
    case copyServer
    /// Messages travel until every device is in step with the server.
    case sync
    /// Messages travel until all is quiet, at most so long.
    case advance(milliseconds: Int)
    case show
    case expect(Question, expected: String)
}

/// What an expectation asks the real programs.
package enum Question: Equatable, Sendable {
    case value(device: String, key: String)
    case conflicts(device: String, key: String)
    case history(device: String, key: String)
    case writer(device: String, key: String)
    case shows(device: String, item: String)
    case lacks(device: String, item: String)
    case fieldValue(device: String, item: String, field: String)
    case fieldConflicts(device: String, item: String, field: String)
    case fieldHistory(device: String, item: String, field: String)
    case passwordWriter(device: String, item: String)
    case isDeletedElsewhere(device: String, item: String)
    case unsentCount(device: String)
    /// `asksServer`: whether the device has to try to send, since only the server knows the reason.
    case unsentReason(device: String, asksServer: Bool)
    case pause(device: String)
    case agreement
    case records(areDeleted: Bool)
    case canRead(String)
}

/// Why real programs cannot play a line.
package struct Unplayable: Error, Equatable, Sendable {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

public import Foundation
internal import KSAgent

/// The state of a store and of its sync.
public struct KeyValueStoreStatus: Equatable, Sendable {
    /// The store's name.
    public let name: String
    /// The keys that have a value.
    public let keyCount: Int
    /// The bytes of all values, encoded.
    public let byteCount: Int
    /// How many keys a store may have.
    public let keyCountMax: Int
    /// UTF-16 units of a key.
    public let keyLengthMax: Int
    /// Bytes of one value.
    public let valueBytesMax: Int
    /// Bytes of all values.
    public let totalBytesMax: Int
    /// Elements of one set or list, or fields of one map.
    public let elementCountMax: Int
    /// Bytes of one merged value with all that merging needs, which is more than is shown of it.
    public let mergedBytesMax: Int
    /// How many devices may change one counter; a device that signs in again counts as a new one.
    public let counterDeviceCountMax: Int
    /// Bytes of a list element's position; the positions are made shorter when one would have more.
    public let positionBytesMax: Int
    /// Identifies the account without naming it; nil if the device belongs to none.
    public let accountToken: Data?
    /// Whether everything that the account had when this device joined it has arrived.
    public let isFirstSyncComplete: Bool
    /// When the device last synced.
    public let lastSync: Date?
    /// How many values of all stores and items of the keychain have changes of this device that
    /// are not on the server.
    public let unsentChanges: Int
    /// Why sync is paused or has failed, a sentence; nil while it works.
    public let problem: String?

    init(_ status: KeyValueStatus) {
        name = status.store
        (keyCount, byteCount) = (status.keys, status.bytes)
        (keyCountMax, keyLengthMax) = (status.keysMax, status.keyUnitsMax)
        (valueBytesMax, totalBytesMax) = (status.valueBytesMax, status.storeBytesMax)
        (elementCountMax, mergedBytesMax) = (status.elementsMax, status.mergedBytesMax)
        counterDeviceCountMax = status.counterActorsMax
        positionBytesMax = status.positionBytesMax
        accountToken = status.account.map { Data($0) }
        isFirstSyncComplete = status.isFirstSyncComplete
        lastSync = status.lastSync.map {
            Date(timeIntervalSinceReferenceDate: $0.secondsSince2001)
        }
        unsentChanges = status.unsent
        problem = status.problem
    }
}

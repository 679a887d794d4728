internal import KSCausality
internal import Foundation
internal import GRDB
internal import KSRecords

extension Row {
    func bytes(_ column: String) -> [UInt8] {
        Array(self[column] as Data)
    }

    /// A number that is never negative.
    func unsigned(_ column: String) throws(SyncEngineError) -> UInt64 {
        try UInt64(exactly: self[column] as Int64).orCorrupt()
    }
}

extension Optional {
    /// The value; only a damaged database lacks it.
    func orCorrupt() throws(SyncEngineError) -> Wrapped {
        guard let self else { throw .corruptDatabase }
        return self
    }
}

extension ActorID {
    var bytes: [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.integer(rawValue)
        return encoder.encoded
    }

    init(_ bytes: [UInt8]) throws(SyncEngineError) {
        guard bytes.count == 8 else { throw .corruptDatabase }
        self.init(rawValue: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }
}

internal import Foundation
internal import GRDB

extension [UInt8] {
    /// The bytes as SQLite's blob.
    var databaseValue: DatabaseValue { Data(self).databaseValue }
}

internal import Foundation
internal import GRDB
internal import KSRecords

/// An entry of the circle as a column holds it.
enum StoredEntry {
    static func fetch(
        version: UInt64,
        of account: AccountRow,
        in database: Database
    ) throws -> SignedEntry? {
        let statement = try database.cachedStatement(
            sql: "SELECT entry FROM circle_entry WHERE account = ? AND version = ?"
        )
        return try Data.fetchOne(statement, arguments: [account.number, version]).map(decode)
    }

    static func fetchAll(
        after version: Int64,
        of account: AccountRow,
        in database: Database
    ) throws -> [SignedEntry] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT entry FROM circle_entry WHERE account = ? AND version > ? ORDER BY version
                """
        )
        return try Data.fetchAll(statement, arguments: [account.number, version]).map(decode)
    }

    static func encode(_ entry: SignedEntry) -> Data {
        var encoder = CanonicalEncoder()
        encoder.bytes(entry.signedBytes)
        encoder.list(entry.signatures) { encoder, signature in
            encoder.fixed(signature.member)
            encoder.bytes(signature.signature)
        }
        encoder.bytes(entry.possession)
        return encoder.encoded.data
    }

    private static func decode(_ column: Data) throws -> SignedEntry {
        var decoder = CanonicalDecoder(Array(column))
        let signedBytes = try decoder.bytes()
        let signatures = try decoder.list { decoder throws(RecordsError) in
            MemberSignature(member: try decoder.fixed(), signature: try decoder.bytes())
        }
        let entry = SignedEntry(
            signedBytes: signedBytes,
            signatures: signatures,
            possession: try decoder.bytes()
        )
        try decoder.end()
        return entry
    }
}

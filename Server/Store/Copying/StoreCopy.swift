internal import KSDigests
package import KSMerging
package import KSRecords

/// Copies a whole store into an empty one, and compares both.
///
/// Accounts are copied one by one, in pages, so the memory that it takes does not depend on the
/// size of the store.
package struct StoreCopy {
    package enum Step: Sendable {
        case copying, comparing
    }

    /// A store that did not do what it was asked for.
    package struct Failure: Error, Equatable {
        package let isOfSource: Bool
        package let error: StoreError
    }

    /// What was copied; if nothing differs, the target is a store now.
    package struct Result: Hashable, Sendable {
        package fileprivate(set) var accounts: UInt64 = 0
        package fileprivate(set) var records: UInt64 = 0
        /// The accounts whose digests differ.
        package fileprivate(set) var differing: [AccountID] = []
        /// Whether what belongs to no account differs.
        package fileprivate(set) var isRestDiffering = false

        package var isEqual: Bool { differing.isEmpty && !isRestDiffering }
    }

    private let source: any StoredRows
    private let target: any CopyTarget
    private let showProgress: (Step, _ records: UInt64, _ allRecords: UInt64) -> Void

    package init(
        from source: any StoredRows,
        to target: any CopyTarget,
        showProgress: @escaping (Step, _ records: UInt64, _ allRecords: UInt64) -> Void
    ) {
        (self.source, self.target, self.showProgress) = (source, target, showProgress)
    }

    package func run() throws(Failure) -> Result {
        let total = try reading { () throws(StoreError) in try source.figures(quotaBytes: nil) }
        var result = Result()
        try forEachAccount { account throws(Failure) in
            result.accounts += 1
            try forEachPage(of: source, account, isSource: true) { table, page throws(Failure) in
                try writing { () throws(StoreError) in
                    try target.add(page, to: table, of: account)
                }
                guard table == .record else { return }
                result.records += UInt64(page.count)
                showProgress(.copying, result.records, total.records)
            }
        }
        let rest = try reading { () throws(StoreError) in try source.sharedRows() }
        try writing { () throws(StoreError) in try target.setSharedRows(rest) }
        var compared: UInt64 = 0
        try forEachAccount { account throws(Failure) in
            let digest = try digest(of: account, in: source, isSource: true) { count in
                compared += count
                showProgress(.comparing, compared, total.records)
            }
            let copied = try self.digest(of: account, in: target, isSource: false) { _ in }
            if digest != copied { result.differing.append(account) }
        }
        let copied = try writing { () throws(StoreError) in try target.sharedRows() }
        result.isRestDiffering = copied != rest
        if result.isEqual { try writing { () throws(StoreError) in try target.finish() } }
        return result
    }

    /// The hash of all rows of an account as canonical bytes: each row is hashed with the hash
    /// before it.
    private func digest(
        of account: AccountID,
        in rows: any StoredRows,
        isSource: Bool,
        _ noteRecords: (UInt64) -> Void
    ) throws(Failure) -> [UInt8] {
        var digest: [UInt8] = []
        try forEachPage(of: rows, account, isSource: isSource) { table, page in
            for row in page {
                var encoder = CanonicalEncoder()
                encoder.string(table.rawValue)
                encoder.row(row)
                digest = SHA256.hash(digest + encoder.encoded)
            }
            if table == .record { noteRecords(UInt64(page.count)) }
        }
        return digest
    }

    private func forEachPage(
        of rows: any StoredRows,
        _ account: AccountID,
        isSource: Bool,
        _ body: (StoredTable, [StoredRow]) throws(Failure) -> Void
    ) throws(Failure) {
        for table in StoredTable.allCases {
            var last: StoredRow?
            repeat {
                let page = try naming(isSource) { () throws(StoreError) in
                    try rows.rows(of: table, in: account, after: last)
                }
                if !page.isEmpty { try body(table, page) }
                last = table.isFull(page) ? page.last : nil
            } while last != nil
        }
    }

    private func forEachAccount(_ body: (AccountID) throws(Failure) -> Void) throws(Failure) {
        var last: AccountID?
        repeat {
            let page = try reading { () throws(StoreError) in
                try source.accounts(after: last, countMax: StoredTable.pageRowsMax)
            }
            for account in page { try body(account) }
            last = page.last
        } while last != nil
    }

    // MARK: The store that failed

    private func reading<Value>(_ body: () throws(StoreError) -> Value) throws(Failure) -> Value {
        try naming(true, body)
    }

    private func writing<Value>(_ body: () throws(StoreError) -> Value) throws(Failure) -> Value {
        try naming(false, body)
    }

    private func naming<Value>(
        _ isSource: Bool,
        _ body: () throws(StoreError) -> Value
    ) throws(Failure) -> Value {
        do throws(StoreError) {
            return try body()
        } catch {
            throw Failure(isOfSource: isSource, error: error)
        }
    }
}

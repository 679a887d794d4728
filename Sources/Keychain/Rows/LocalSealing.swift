package import Digests
package import Sealing

/// Seals rows with the keys of the device's own key file.
package struct LocalRowSealing: RowSealing {
    private let cipher: RowCipher

    package init(_ keyFile: LocalKeyFile, random: any RandomSource) {
        cipher = keyFile.rowCipher(random: random)
    }

    package func seal(
        _ text: [UInt8],
        _ context: ItemRowContext
    ) throws(KeychainError) -> [UInt8] {
        do {
            return try cipher.seal(text, RowContext(context))
        } catch {
            throw KeychainError(error)
        }
    }

    package func open(
        _ box: [UInt8],
        _ context: ItemRowContext
    ) throws(KeychainError) -> [UInt8] {
        do {
            return try cipher.open(box, RowContext(context))
        } catch {
            throw KeychainError(error)
        }
    }
}

/// Makes search digests with the keys of the device's own key file.
package struct LocalSearchDigesting: SearchDigesting {
    private struct Column: Hashable {
        let table: String
        let column: String
    }

    private let keys: [Column: SearchKey]

    /// - Throws: ``KeychainError/interactionNotAllowed`` before the first unlock.
    package init(_ keyFile: LocalKeyFile) throws(KeychainError) {
        var keys: [Column: SearchKey] = [:]
        for itemClass in ItemClass.allCases {
            let sql = ItemSQL.of(itemClass)
            for column in sql.digested.map(\.name.text) + [ItemRows.primaryKeyColumn] {
                do {
                    keys[Column(table: sql.table, column: column)] = try keyFile.searchKey(
                        table: sql.table,
                        column: column,
                        isAlwaysReadable: false
                    )
                } catch {
                    throw KeychainError(error)
                }
            }
        }
        self.keys = keys
    }

    package func digest(
        type: UInt64,
        value: [UInt8],
        table: String,
        column: String
    ) throws(KeychainError) -> [UInt8] {
        guard let key = keys[Column(table: table, column: column)] else {
            preconditionFailure("every digested column has a key")
        }
        return key.token(type: type, value: value)
    }
}

extension KeychainError {
    fileprivate init(_ error: SealingError) {
        if case .classLocked = error {
            self = .interactionNotAllowed
        } else {
            self = .decode
        }
    }
}

extension RowContext {
    fileprivate init(_ context: ItemRowContext) {
        self.init(
            rowID: context.row,
            part: context.part == .attributes ? .attributes : .secret,
            table: context.table,
            protectionClass: ProtectionClass(context.accessibility),
            accessGroup: hexadecimal(context.accessGroup),
            revision: context.revision
        )
    }
}

extension ProtectionClass {
    package init(_ accessibility: Accessibility) {
        switch accessibility {
        case .whenUnlocked: self = .whenUnlocked
        case .afterFirstUnlock: self = .afterFirstUnlock
        case .always: self = .always
        case .whenUnlockedThisDeviceOnly: self = .whenUnlockedThisDeviceOnly
        case .afterFirstUnlockThisDeviceOnly: self = .afterFirstUnlockThisDeviceOnly
        case .alwaysThisDeviceOnly: self = .alwaysThisDeviceOnly
        case .whenPasscodeSetThisDeviceOnly: self = .whenPasscodeSetThisDeviceOnly
        }
    }
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
        decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
        as: UTF8.self
    )
}

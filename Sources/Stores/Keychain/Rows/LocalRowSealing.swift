package import KSDigests
package import KSDeviceKeys
internal import KSSealing

/// Seals rows with the keys of the device's own key file.
package struct LocalRowSealing: RowSealing {
    private let keyFile: LocalKeyFile
    private let cipher: RowCipher
    package let isCompletedAtUnlock: Bool

    package init(
        _ keyFile: LocalKeyFile,
        random: any RandomSource,
        isCompletedAtUnlock: Bool = false
    ) {
        self.keyFile = keyFile
        cipher = keyFile.rowCipher(random: random)
        self.isCompletedAtUnlock = isCompletedAtUnlock
    }

    package func seal(_ text: [UInt8], _ context: RowContext) throws(ItemStoreError) -> [UInt8] {
        do {
            return try cipher.seal(text, context)
        } catch {
            throw ItemStoreError(error)
        }
    }

    package func open(_ box: [UInt8], _ context: RowContext) throws(ItemStoreError) -> [UInt8] {
        do {
            return try cipher.open(box, context)
        } catch .passcodeNotSet {
            // The key was deleted with the passcode: nothing opens the box any more.
            throw .decode
        } catch {
            throw ItemStoreError(error)
        }
    }

    package func digest(
        type: UInt64,
        value: [UInt8],
        table: String,
        column: String,
        isAlwaysReadable: Bool
    ) throws(ItemStoreError) -> [UInt8] {
        do {
            return try keyFile.searchKey(
                table: table,
                column: column,
                isAlwaysReadable: isAlwaysReadable
            ).token(type: type, value: value)
        } catch {
            throw ItemStoreError(error)
        }
    }
}

extension ItemStoreError {
    init(_ error: SealingError) {
        switch error {
        case .classLocked: self = .interactionNotAllowed
        case .passcodeNotSet: self = .passcodeNotSet
        default: self = .decode
        }
    }
}

package import KSDeviceKeys
package import KSSealing
internal import KSDigests
package import KSKeychain
internal import Synchronization

/// A seal that hides its contents well enough for tests: a keystream and a tag, both SHA-256.
///
/// Classes can be locked, and rows damaged by hand do not open.
package final class TestSealing: RowSealing {
    private let locked = Mutex<Set<ProtectionClass>>([])
    private let hasRebooted = Mutex(false)
    private let openedSecrets = Mutex(0)
    package let isCompletedAtUnlock = true

    package init() {}

    /// How often a secret half was opened.
    package var openedSecretsCount: Int { openedSecrets.withLock { $0 } }

    package func lock(_ accessibility: ProtectionClass) {
        locked.withLock { _ = $0.insert(accessibility) }
    }

    /// Locks as before the first unlock: the two Always classes stay open, digests have no keys.
    package func reboot() {
        let others = ProtectionClass.allCases.filter {
            $0 != .always && $0 != .alwaysThisDeviceOnly
        }
        locked.withLock { $0.formUnion(others) }
        hasRebooted.withLock { $0 = true }
    }

    package func unlock() {
        locked.withLock { $0 = [] }
        hasRebooted.withLock { $0 = false }
    }

    private func key(_ context: RowContext) throws(ItemStoreError) -> [UInt8] {
        guard !locked.withLock({ $0.contains(context.protectionClass) }) else {
            throw .interactionNotAllowed
        }
        let part = UInt8(context.part.rawValue)
        return SHA256.hash(
            Array("key \(context.table) \(context.protectionClass.letters)".utf8) + [part]
                + context.rowID + Array(context.accessGroup.utf8) + context.revision
        )
    }

    private func mask(_ bytes: [UInt8], _ key: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = []
        var block: UInt8 = 0
        while stream.count < bytes.count {
            stream += SHA256.hash(key + [block, UInt8(stream.count >> 8 & 0xFF)])
            block &+= 1
        }
        return zip(bytes, stream).map { $0 ^ $1 }
    }

    package func seal(
        _ text: [UInt8],
        _ context: RowContext
    ) throws(ItemStoreError) -> [UInt8] {
        let key = try key(context)
        let masked = mask(text, key)
        return masked + SHA256.hash(key + masked)
    }

    package func open(
        _ box: [UInt8],
        _ context: RowContext
    ) throws(ItemStoreError) -> [UInt8] {
        if context.part == .secret { openedSecrets.withLock { $0 += 1 } }
        let key = try key(context)
        let masked = Array(box.dropLast(32))
        guard box.count >= 32, SHA256.hash(key + masked) == Array(box.suffix(32)) else {
            throw .decode
        }
        return mask(masked, key)
    }

    package func digest(
        type: UInt64,
        value: [UInt8],
        table: String,
        column: String,
        isAlwaysReadable: Bool
    ) throws(ItemStoreError) -> [UInt8] {
        guard isAlwaysReadable || !hasRebooted.withLock({ $0 }) else {
            throw .interactionNotAllowed
        }
        let key = isAlwaysReadable ? "always" : "digest"
        return Array(
            SHA256.hash(Array("\(key) \(table) \(column) \(type) ".utf8) + value).prefix(16)
        )
    }
}

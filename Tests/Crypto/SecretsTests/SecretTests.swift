import KSDigests
import KSPrimitives
import KSSecrets
import KSTestSupport
import Testing

struct SecretTests {
    @Test
    func `a secret holds what was written into it`() {
        let secret = SharedSecret(count: 3) { (span: inout MutableRawSpan) throws(Never) in
            span.storeBytes(of: 7, toByteOffset: 1, as: UInt8.self)
        }
        #expect(secret.copyBytes() == [0, 7, 0])
    }

    /// The locked arena stays mapped, so a freed block can still be read.
    ///
    /// The first 16 bytes of a free block belong to the arena's lists. Other tests may already have
    /// taken the block again, so the test checks that the old bytes are gone, not the new ones.
    @Test(arguments: [32, 100, 4_096])
    func `the memory of a secret is overwritten when it is freed`(count: Int) throws {
        let pattern = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
        let address = makeAndForget(pattern)
        let freed = unsafe try #require(UnsafeRawPointer(bitPattern: address))
        let found = unsafe [UInt8](UnsafeRawBufferPointer(start: freed, count: count))
        #expect(found.dropFirst(16) != pattern.dropFirst(16))
    }

    /// The address of a freed secret, which was checked to hold the bytes before.
    private func makeAndForget(_ bytes: [UInt8]) -> UInt {
        let secret = unsafe SharedSecret(copying: bytes.span.bytes)
        return secret.withBytes { held in
            unsafe held.withUnsafeBytes { held in
                #expect(unsafe [UInt8](held) == bytes)
                return UInt(bitPattern: held.baseAddress)
            }
        }
    }

    struct Refusal: Error {}

    @Test
    func `a secret whose initializer fails is not made`() {
        #expect(throws: Refusal.self) {
            _ = try SharedSecret(count: 4) { (_: inout MutableRawSpan) throws(Refusal) in
                throw Refusal()
            }
        }
    }

    @Test(arguments: 0..<32)
    func `secrets are equal only when every byte is`(index: Int) {
        let bytes = SeededRandomSource(seed: 3).bytes(32)
        var changed = bytes
        changed[index] ^= 1
        let secret = SharedSecret(bytes: bytes)
        #expect(secret.isEqual(to: SharedSecret(bytes: bytes)))
        #expect(!secret.isEqual(to: SharedSecret(bytes: changed)))
        #expect(!secret.isEqual(to: SharedSecret(bytes: Array(bytes.prefix(index)))))
        #expect(ConstantTime.areEqual(bytes, bytes) && !ConstantTime.areEqual(bytes, changed))
    }

    @Test
    func `an empty secret is a secret`() {
        let empty = SharedSecret(bytes: [])
        #expect(empty.count == 0 && empty.copyBytes().isEmpty)
        #expect(empty.isEqual(to: SharedSecret(bytes: [])))
        #expect(SharedSecret.joining([]).count == 0)
    }

    @Test
    func `joined secrets can be taken apart again`() {
        let random = SeededRandomSource(seed: 4)
        let (left, right) = (SharedSecret.random(from: random), SharedSecret(bytes: [1, 2]))
        let joined = SharedSecret.joining([left, right, SharedSecret(bytes: [])])
        #expect(joined.part(0..<32).isEqual(to: left))
        #expect(joined.part(32..<34).isEqual(to: right))
    }

    @Test
    func `random secrets repeat from their source only`() {
        let first = SharedSecret.random(from: SeededRandomSource(seed: 5))
        #expect(first.isEqual(to: .random(from: SeededRandomSource(seed: 5))))
        #expect(!first.isEqual(to: .random(from: SeededRandomSource(seed: 6))))
        let system = SharedSecret.random(from: SystemRandomSource())
        #expect(!system.isEqual(to: .random(from: SystemRandomSource())))
    }

    @Test
    func `a shared secret cannot be printed, encoded, hashed or compared with ==`() {
        let secret: any Sendable = SharedSecret(bytes: Array("hunter2".utf8))
        #expect(!(secret is any CustomStringConvertible))
        #expect(!(secret is any CustomDebugStringConvertible))
        #expect(!(secret is any Encodable))
        #expect(!(secret is any Equatable))
        #expect(!"\(secret)".contains("hunter2"))
        #expect(!String(reflecting: secret).contains("hunter2"))
    }

    @Test
    func `more secrets than the locked arena holds leave room for new private keys`() {
        let secrets = (0..<40_000).map { _ in SharedSecret(bytes: [1, 2, 3]) }
        // OpenSSL cannot make a key without room in the arena for its private part.
        let key = Ed25519PrivateKey(seed: SharedSecret(bytes: [UInt8](repeating: 7, count: 32)))
        #expect(key.sign([1]).count == 64)
        #expect(secrets.allSatisfy { $0.copyBytes() == [1, 2, 3] })
    }
}

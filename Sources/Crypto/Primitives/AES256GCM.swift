internal import KSCOpenSSL
package import KSSecrets

/// AES-256-GCM (NIST SP 800-38D) with a nonce of 12 bytes and a tag of 16.
package enum AES256GCM {
    package static let keyByteCount = 32
    package static let nonceByteCount = 12
    package static let tagByteCount = 16

    /// Gives ciphertext ‖ tag.
    ///
    /// One nonce must never be used twice with one key.
    package static func seal(
        _ text: [UInt8],
        key: RawSpan,
        nonce: [UInt8],
        associatedData: [UInt8]
    ) -> [UInt8] {
        precondition(key.byteCount == keyByteCount && nonce.count == nonceByteCount)
        return CipherContext.withOne { context in
            context.start(key: key, nonce: nonce, direction: .seal)
            context.authenticate(associatedData)
            let size = text.count + tagByteCount
            return unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                unsafe context.process(text.span.bytes, into: buffer.baseAddress)
                unsafe context.finish(tagInto: buffer.baseAddress.map { unsafe $0 + text.count })
                count = size
            }
        }
    }

    /// Opens `sealed`; returns no text unless its tag is valid.
    package static func open(
        _ sealed: RawSpan,
        key: RawSpan,
        nonce: [UInt8],
        associatedData: [UInt8]
    ) throws(PrimitivesError) -> [UInt8] {
        precondition(key.byteCount == keyByteCount && nonce.count == nonceByteCount)
        guard sealed.byteCount >= tagByteCount else { throw .notAuthentic }
        let size = sealed.byteCount - tagByteCount
        var isAuthentic = false
        let text = CipherContext.withOne { context in
            context.start(key: key, nonce: nonce, direction: .open)
            context.authenticate(associatedData)
            return unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                unsafe context.process(sealed.extracting(0..<size), into: buffer.baseAddress)
                isAuthentic = context.isTag(sealed.extracting(size..<sealed.byteCount))
                if !isAuthentic {
                    unsafe OPENSSL_cleanse(buffer.baseAddress, size)
                }
                count = isAuthentic ? size : 0
            }
        }
        guard isAuthentic else { throw .notAuthentic }
        return text
    }

    /// Overwrites the expanded keys of the last operations, which stay in memory otherwise.
    ///
    /// Call it when the device is locked.
    package static func forgetKeys() {
        CipherContext.forgetKeys()
    }

    package static func seal(
        _ text: [UInt8],
        key: SharedSecret,
        nonce: [UInt8],
        associatedData: [UInt8]
    ) -> [UInt8] {
        key.withBytes { seal(text, key: $0, nonce: nonce, associatedData: associatedData) }
    }

    package static func open(
        _ sealed: [UInt8],
        key: SharedSecret,
        nonce: [UInt8],
        associatedData: [UInt8]
    ) throws(PrimitivesError) -> [UInt8] {
        let sealed = unsafe sealed.span.bytes
        return try key.withBytes { (key: RawSpan) throws(PrimitivesError) in
            try open(sealed, key: key, nonce: nonce, associatedData: associatedData)
        }
    }
}

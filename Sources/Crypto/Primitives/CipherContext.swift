internal import KSCOpenSSL
internal import Synchronization

/// OpenSSL's working memory for one AES-256-GCM operation, kept for the next one.
@safe
final class CipherContext: @unchecked Sendable {
    // Safety: a context is either in the waiting list or used by the one caller that removed it.
    private let pointer: OpaquePointer

    enum Direction: Int32 {
        case open = 0
        case seal = 1
    }

    /// Fetched once, because a fetch by name costs more than the operation itself, and used by all
    /// threads, which OpenSSL allows.
    @safe
    private nonisolated(unsafe) static let cipher: OpaquePointer = {
        guard let cipher = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) else {
            preconditionFailure("OpenSSL has no AES-256-GCM")
        }
        return unsafe cipher
    }()
    /// The number of threads that seal at the same time; further contexts are freed.
    private static let waitingCountMax = 8
    /// A key of zeros; its first bytes serve as a nonce.
    private static let zeros = [UInt8](repeating: 0, count: AES256GCM.keyByteCount)
    private static let waiting = Mutex<[CipherContext]>([])

    private init() {
        guard let pointer = unsafe EVP_CIPHER_CTX_new(),
            unsafe EVP_CipherInit_ex2(pointer, Self.cipher, nil, nil, 1, nil) == 1
        else { preconditionFailure("OpenSSL has no memory for AES-256-GCM") }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(pointer)
    }

    static func withOne<Result>(_ body: (CipherContext) -> Result) -> Result {
        let context = waiting.withLock { $0.popLast() } ?? CipherContext()
        defer {
            waiting.withLock { waiting in
                if waiting.count < waitingCountMax { waiting.append(context) }
            }
        }
        return body(context)
    }

    func start(key: RawSpan, nonce: [UInt8], direction: Direction) {
        let status = unsafe key.withUnsafeBytes { key in
            unsafe EVP_CipherInit_ex2(pointer, nil, key.baseAddress, nonce, direction.rawValue, nil)
        }
        precondition(status == 1, "OpenSSL refused a key of the right length")
    }

    func authenticate(_ associatedData: [UInt8]) {
        guard !associatedData.isEmpty else { return }
        var written: Int32 = 0
        let status = unsafe EVP_CipherUpdate(
            pointer,
            nil,
            &written,
            associatedData,
            Int32(associatedData.count)
        )
        precondition(status == 1, "OpenSSL refused associated data")
    }

    /// Writes as many bytes to `target` as `bytes` has.
    func process(_ bytes: RawSpan, into target: UnsafeMutablePointer<UInt8>?) {
        guard !bytes.isEmpty else { return }
        var written: Int32 = 0
        let status = unsafe bytes.withUnsafeBytes { bytes in
            unsafe EVP_CipherUpdate(
                pointer,
                target,
                &written,
                bytes.baseAddress,
                Int32(bytes.count)
            )
        }
        precondition(status == 1 && Int(written) == bytes.byteCount, "AES-256-GCM stopped early")
    }

    func finish(tagInto target: UnsafeMutablePointer<UInt8>?) {
        var written: Int32 = 0
        let status = unsafe EVP_CipherFinal_ex(pointer, target, &written)
        precondition(status == 1 && written == 0, "AES-256-GCM did not finish")
        let count = Int32(AES256GCM.tagByteCount)
        let tagStatus = unsafe EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_GET_TAG, count, target)
        precondition(tagStatus == 1, "AES-256-GCM gave no tag")
    }

    /// Whether the processed bytes have this tag; OpenSSL compares in constant time.
    func isTag(_ tag: RawSpan) -> Bool {
        let status = unsafe tag.withUnsafeBytes { tag in
            unsafe EVP_CIPHER_CTX_ctrl(
                pointer,
                EVP_CTRL_AEAD_SET_TAG,
                Int32(tag.count),
                UnsafeMutableRawPointer(mutating: tag.baseAddress)
            )
        }
        precondition(status == 1, "OpenSSL refused a tag of the right length")
        var written: Int32 = 0
        var nothing: UInt8 = 0
        return unsafe EVP_CipherFinal_ex(pointer, &nothing, &written) == 1
    }

    /// Overwrites the expanded keys of all waiting contexts.
    ///
    /// Doing this after each use would double its time. Until then a waiting context can open the
    /// last text that it was used for.
    static func forgetKeys() {
        waiting.withLock { waiting in
            for context in waiting {
                unsafe context.start(key: zeros.span.bytes, nonce: zeros, direction: .seal)
            }
        }
    }
}

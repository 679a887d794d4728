internal import KSCArgon2

/// Argon2 (RFC 9106), which makes guessing passwords cost memory.
package struct Argon2: Hashable, Sendable {
    package enum Variant: Hashable, Sendable {
        case d
        case id
    }

    package var variant: Variant
    /// 0x10 or 0x13.
    package var version: UInt32
    package var memoryKiB: UInt64
    package var passes: UInt64
    package var lanes: UInt32

    /// A gigabyte: the most that programs offer.
    private static let memoryKiBMax: UInt64 = 1 << 20
    /// The product of memory and passes that takes about a minute.
    private static let workKiBMax: UInt64 = 64 << 20
    private static let lanesMax: UInt32 = 64
    /// More threads than processors gain nothing.
    private static let threadsMax: UInt32 = 4

    package init(
        _ variant: Variant,
        version: UInt32 = 0x13,
        memoryKiB: UInt64,
        passes: UInt64,
        lanes: UInt32
    ) {
        (self.variant, self.version) = (variant, version)
        (self.memoryKiB, self.passes, self.lanes) = (memoryKiB, passes, lanes)
    }

    /// `secret` and `associatedData` are the inputs K and X of RFC 9106, section 3.1.
    ///
    /// - Throws: ``FileCipherError/tooCostly`` before it takes memory or time.
    package func derive(
        password: [UInt8],
        salt: [UInt8],
        secret: [UInt8] = [],
        associatedData: [UInt8] = [],
        count: Int = 32
    ) throws(FileCipherError) -> [UInt8] {
        let (work, isTooMuch) = memoryKiB.multipliedReportingOverflow(by: passes)
        guard memoryKiB <= Self.memoryKiBMax, passes <= Self.workKiBMax, !isTooMuch,
            work <= Self.workKiBMax,
            lanes <= Self.lanesMax
        else { throw .tooCostly }
        var (password, salt) = (password, salt)
        var (secret, associatedData) = (secret, associatedData)
        var result = [UInt8](repeating: 0, count: count)
        let kind = variant == .d ? Argon2_d : Argon2_id
        let (passwordCount, saltCount) = (UInt32(password.count), UInt32(salt.count))
        let (secretCount, dataCount) = (UInt32(secret.count), UInt32(associatedData.count))
        let status = unsafe password.withUnsafeMutableBufferPointer { password in
            unsafe salt.withUnsafeMutableBufferPointer { salt in
                unsafe secret.withUnsafeMutableBufferPointer { secret in
                    unsafe associatedData.withUnsafeMutableBufferPointer { data in
                        unsafe result.withUnsafeMutableBufferPointer { result in
                            var context = unsafe argon2_context()
                            unsafe context.out = result.baseAddress
                            unsafe context.outlen = UInt32(count)
                            unsafe context.pwd = passwordCount == 0 ? nil : password.baseAddress
                            unsafe context.pwdlen = passwordCount
                            unsafe context.salt = salt.baseAddress
                            unsafe context.saltlen = saltCount
                            unsafe context.secret = secretCount == 0 ? nil : secret.baseAddress
                            unsafe context.secretlen = secretCount
                            unsafe context.ad = dataCount == 0 ? nil : data.baseAddress
                            unsafe context.adlen = dataCount
                            unsafe context.t_cost = UInt32(passes)
                            unsafe context.m_cost = UInt32(memoryKiB)
                            unsafe context.lanes = lanes
                            unsafe context.threads = min(max(lanes, 1), Self.threadsMax)
                            unsafe context.version = version
                            return unsafe argon2_ctx(&context, kind)
                        }
                    }
                }
            }
        }
        guard status == ARGON2_OK.rawValue else { throw .library }
        return result
    }
}

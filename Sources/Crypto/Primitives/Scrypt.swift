internal import KSCOpenSSL
package import KSSecrets

/// The cost of one key derivation from a password.
///
/// The account format fixes the cost, ``k1``; only simulation and tests may use a lower one.
package struct ScryptCost: Hashable, Sendable {
    /// N is two to this power.
    package let logN: Int
    package let r: Int
    package let p: Int

    /// The cost for `K1` credentials and passcodes: 128 MiB and about 0.4 s.
    package static let k1 = ScryptCost(logN: 17, r: 8, p: 1)

    /// For simulated devices, whose passwords protect nothing.
    package static let simulation = ScryptCost(logN: 4, r: 8, p: 1)

    /// Any other cost is for the published vectors.
    package init(logN: Int, r: Int, p: Int) {
        self.logN = logN
        self.r = r
        self.p = p
    }

    /// The needed memory and 32 MiB more; OpenSSL's default, 32 MiB, is too low for ``k1``.
    fileprivate var memoryBytesMax: UInt64 {
        UInt64(128 * r) * (UInt64(1) << UInt64(logN)) + 32 << 20
    }
}

/// scrypt (RFC 7914).
package enum Scrypt {
    package static func derive(
        password: SharedSecret,
        salt: SharedSecret,
        cost: ScryptCost,
        count: Int = 32
    ) throws(PrimitivesError) -> SharedSecret {
        try SharedSecret(count: count) { (target: inout MutableRawSpan) throws(PrimitivesError) in
            let status = unsafe target.withUnsafeMutableBytes { target in
                password.withBytes { password in
                    salt.withBytes { salt in
                        unsafe run(password: password, salt: salt, cost: cost, target: target)
                    }
                }
            }
            guard status == 1 else { throw .newest() }
        }
    }

    private static func run(
        password: RawSpan,
        salt: RawSpan,
        cost: ScryptCost,
        target: UnsafeMutableRawBufferPointer
    ) -> Int32 {
        unsafe password.withUnsafeBytes { password in
            unsafe salt.withUnsafeBytes { salt in
                unsafe EVP_PBE_scrypt(
                    password.baseAddress,
                    password.count,
                    salt.baseAddress,
                    salt.count,
                    UInt64(1) << UInt64(cost.logN),
                    UInt64(cost.r),
                    UInt64(cost.p),
                    cost.memoryBytesMax,
                    target.baseAddress,
                    target.count
                )
            }
        }
    }
}

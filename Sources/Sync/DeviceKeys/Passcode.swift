internal import KSSealing
internal import KSDigests
internal import Foundation
internal import KSPrimitives
internal import KSRecords
internal import KSSecrets

/// The key derivation of a passcode, as the key bag stores it.
struct PasscodeDerivation: Hashable {
    static let saltByteCount = 32

    let salt: [UInt8]
    let logN: UInt64
    let r: UInt64
    let p: UInt64

    /// One cost only, so that a changed file cannot make a passcode cheaper to guess.
    func hasCost(_ cost: ScryptCost) -> Bool {
        salt.count == Self.saltByteCount && logN == UInt64(cost.logN) && r == UInt64(cost.r)
            && p == UInt64(cost.p)
    }
}

extension PasscodeDerivation {
    /// With a new salt.
    init(cost: ScryptCost, random: any RandomSource) {
        salt = random.bytes(Self.saltByteCount)
        logN = UInt64(cost.logN)
        r = UInt64(cost.r)
        p = UInt64(cost.p)
    }

    /// The value that stands for no passcode.
    static let none = PasscodeDerivation(salt: [], logN: 0, r: 0, p: 0)
}

extension CanonicalEncoder {
    mutating func derivation(_ derivation: PasscodeDerivation) {
        bytes(derivation.salt)
        integer(derivation.logN)
        integer(derivation.r)
        integer(derivation.p)
    }
}

extension CanonicalDecoder {
    mutating func derivation() throws(RecordsError) -> PasscodeDerivation {
        PasscodeDerivation(
            salt: try bytes(),
            logN: try integer(),
            r: try integer(),
            p: try integer()
        )
    }
}

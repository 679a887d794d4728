/// SHA-1 (FIPS 180-4), where Apple's keychain names things by it: nothing rests on its strength.
package enum SHA1 {
    package static let byteCount = 20

    package static func hash(_ bytes: [UInt8]) -> [UInt8] { HashAlgorithm.sha1.hash(bytes) }
}

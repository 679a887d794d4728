package import Foundation
package import KSRecords

/// The column `entry`: an entry of a circle as it was signed, and its signatures.
extension SignedEntry {
    package init(column: Data) throws(RecordsError) {
        var decoder = CanonicalDecoder(Array(column))
        self.init(
            signedBytes: try decoder.bytes(),
            signatures: try decoder.list { decoder throws(RecordsError) in
                MemberSignature(member: try decoder.fixed(), signature: try decoder.bytes())
            },
            possession: try decoder.bytes()
        )
        try decoder.end()
    }

    package var column: Data {
        var encoder = CanonicalEncoder()
        encoder.bytes(signedBytes)
        encoder.list(signatures) { encoder, signature in
            encoder.fixed(signature.member)
            encoder.bytes(signature.signature)
        }
        encoder.bytes(possession)
        return encoder.encoded.data
    }
}

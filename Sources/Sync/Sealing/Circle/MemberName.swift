internal import KSDigests
package import KSRecords

/// A member's name, which every member can read and the server cannot.
package enum MemberName {
    static func seal(
        _ name: String,
        of member: MemberID,
        account: AccountID,
        keyRing: KeyRing,
        random: any RandomSource
    ) throws(SealingError) -> [UInt8] {
        let text = Array(name.utf8)
        guard text.count <= Limits.memberNameBytesMax else { throw .tooLarge }
        let generation = keyRing.newestGeneration
        guard let key = keyRing.namesKey(generation: generation) else {
            throw .generationUnknown(generation: generation)
        }
        return key.seal(
            text,
            purpose: .names,
            context: context(account: account, member: member),
            random: random
        )
    }

    /// The name; empty for a member that has none, such as the credentials.
    package static func open(
        of member: Member,
        account: AccountID,
        keyRing: KeyRing
    ) throws(SealingError) -> String {
        guard !member.nameBox.isEmpty else { return "" }
        let context = context(account: account, member: member.id)
        // An entry that starts a generation leaves the names as they are.
        for generation in keyRing.generations.reversed() {
            // A name that this generation does not open was sealed under another one.
            let text = try? keyRing.namesKey(generation: generation)?
                .open(member.nameBox, purpose: .names, context: context)
            guard let text else { continue }
            guard let name = String(validating: text, as: UTF8.self) else { throw .malformed }
            return name
        }
        throw .notAuthentic
    }

    private static func context(account: AccountID, member: MemberID) -> [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.fixed(account)
        encoder.fixed(member)
        return encoder.encoded
    }
}

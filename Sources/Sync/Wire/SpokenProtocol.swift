/// What a program states of itself in each request or answer: the oldest and the newest protocol
/// that it speaks, and the optional parts of the protocol that it has.
///
/// Its text, as in `1-1 delete-account events rebuild`, is the value of the header
/// ``headerName``. Features that the reader does not know are ignored.
package struct SpokenProtocol: Equatable, Sendable {
    /// A part of the protocol that a server may lack while sync works.
    ///
    /// A name that was given is never changed. A feature without which nobody would notice anything
    /// needs no name: both ends ignore fields and parameters that they do not know.
    package enum Feature: String, CaseIterable, Sendable {
        /// `DELETE /v1/account`.
        case deleteAccount = "delete-account"
        /// `GET /v1/events`; without it devices ask again and again.
        case events
        /// `POST /v1/circle/return` with the name of an account that the server has lost.
        case rebuild
    }

    package static let headerName = "Sync-Protocol"
    /// This program.
    package static let own = SpokenProtocol(1...1, Set(Feature.allCases))
    /// A program that states nothing: one older than the header, or a person with curl.
    ///
    /// Features that are added later are not among these.
    package static let unstated = SpokenProtocol(1...1, [.deleteAccount, .events, .rebuild])

    package let versions: ClosedRange<UInt64>
    package let features: Set<Feature>

    package init(_ versions: ClosedRange<UInt64>, _ features: Set<Feature>) {
        (self.versions, self.features) = (versions, features)
    }

    /// Reads the header's value; nil stands for a missing header.
    package init(_ text: String?) throws(WireError) {
        guard let text else {
            self = .unstated
            return
        }
        let words = text.split(separator: " ", maxSplits: Self.wordsMax)
        let ends =
            words.first?.split(separator: "-", omittingEmptySubsequences: false)
            .map { UInt64($0) } ?? []
        guard ends.count == 2, let oldest = ends[0], let newest = ends[1], oldest <= newest else {
            throw .malformed
        }
        self.init(oldest...newest, Set(words.dropFirst().compactMap { Feature(rawValue: "\($0)") }))
    }

    /// More words than any program states.
    private static let wordsMax = 100

    package var text: String {
        (["\(versions.lowerBound)-\(versions.upperBound)"] + features.map(\.rawValue).sorted())
            .joined(separator: " ")
    }

    /// The code for a client and a server that have no protocol in common: it says which is older.
    package static func refusal(client: SpokenProtocol, server: SpokenProtocol) -> ErrorCode? {
        if client.versions.upperBound < server.versions.lowerBound { return .clientTooOld }
        if client.versions.lowerBound > server.versions.upperBound { return .serverTooOld }
        return nil
    }
}

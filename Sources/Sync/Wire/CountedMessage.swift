internal import KSRecords
package import SwiftProtobuf

/// A message whose parts are counted before it is decoded.
///
/// A message of a list may have only two bytes on the wire, but takes many times that in memory: a
/// body within its size limit could hold millions.
package protocol CountedMessage: SwiftProtobuf.Message {
    static var parts: MessageParts { get }
}

extension CountedMessage {
    /// Decodes received bytes.
    package init(counting bytes: [UInt8]) throws(WireError) {
        try Self.parts.check(bytes)
        do {
            try self.init(serializedBytes: bytes)
        } catch {
            throw .malformed
        }
    }

    /// Decodes the JSON form; unknown fields are ignored, as they are in the other form.
    package init(countingJSON bytes: [UInt8]) throws(WireError) {
        try Self.parts.check(json: bytes)
        do {
            try self.init(jsonUTF8Bytes: bytes, options: .ignoringUnknown)
        } catch {
            throw .malformed
        }
    }
}

/// A message without nested messages.
package protocol FlatMessage: CountedMessage {}

extension FlatMessage {
    package static var parts: MessageParts { [] }
}

// The messages that are decoded from the network: requests and answers.

extension WirePushRequest: CountedMessage {
    package static let parts: MessageParts = [
        .list(3, max: Limits.batchRecordsMax, of: .envelope), .one(4),
    ]
}

extension WirePushResponse: CountedMessage {
    package static let parts: MessageParts = [
        .list(1, max: Limits.batchRecordsMax, of: [.list(2, max: Limits.siblingsMax)]), .one(2),
    ]
}

extension WireChangesResponse: CountedMessage {
    package static let parts: MessageParts = [
        .list(1, max: Limits.pageRecordsMax, of: .record), .one(2), .list(4, max: Limits.actorsMax),
        .list(6, max: Limits.actorsMax),
    ]
}

extension WireSignupRequest: CountedMessage {
    package static let parts: MessageParts = [
        .one(3, of: .signedEntry), .list(4, max: Limits.membersMax),
    ]
}

extension WireSessionRequest: CountedMessage {
    package static let parts: MessageParts = [.one(1)]
}

extension WireDeleteAccountRequest: CountedMessage {
    package static let parts: MessageParts = [.one(1), .one(2)]
}

extension WireHistoryRequest: CountedMessage {
    package static let parts: MessageParts = [.one(3)]
}

extension WireCircleResponse: CountedMessage {
    package static let parts: MessageParts = [
        .list(2, max: Limits.circleEntriesMax + Limits.membersMax, of: .signedEntry), .one(3),
        .list(6, max: Limits.membersMax),
    ]
}

extension WireReturnCircleRequest: CountedMessage {
    package static let parts: MessageParts = [.one(2)]
}

extension WireCircleReturn: CountedMessage {
    package static let parts: MessageParts = [
        .list(1, max: Limits.circleEntriesMax + Limits.membersMax, of: .signedEntry),
        .list(2, max: Limits.membersMax),
    ]
}

extension WireCircleEntryResponse: CountedMessage {
    package static let parts: MessageParts = [
        .one(1, of: .signedEntry), .list(2, max: Limits.membersMax),
        .list(3, max: Limits.actorsMax),
    ]
}

extension WirePutCircleRequest: CountedMessage {
    package static let parts: MessageParts = [.one(2)]
}

extension WireCircleUpdate: CountedMessage {
    package static let parts: MessageParts = [
        .one(1, of: .signedEntry), .list(2, max: Limits.membersMax),
    ]
}

extension WireRaiseVectorRequest: CountedMessage {
    package static let parts: MessageParts = [.one(2)]
}

extension WireVectorUpdate: CountedMessage {
    package static let parts: MessageParts = [.list(2, max: Limits.actorsMax)]
}

extension WireRaiseVectorResponse: FlatMessage {}
extension WireSignupResponse: FlatMessage {}
extension WireChallengeRequest: FlatMessage {}
extension WireChallengeResponse: FlatMessage {}
extension WireProof: FlatMessage {}
extension WireSessionResponse: FlatMessage {}
extension WireHistoryResponse: FlatMessage {}
extension WirePutCircleResponse: FlatMessage {}

extension MessageParts {
    fileprivate static let envelope: MessageParts = [.one(3), .list(4, max: Limits.replacedMax)]
    fileprivate static let record: MessageParts = [
        .list(3, max: Limits.siblingsMax, of: .envelope)
    ]
    fileprivate static let signedEntry: MessageParts = [.list(2, max: Limits.entrySignaturesMax)]
}

extension JSONDecodingOptions {
    /// A newer program may send fields that this one does not know.
    static var ignoringUnknown: JSONDecodingOptions {
        var options = JSONDecodingOptions()
        options.ignoreUnknownFields = true
        return options
    }
}

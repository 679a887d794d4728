internal import KSRecords

/// How large a request may be: a proxy before the server may refuse more than a certain size.
///
/// Such a proxy answers with status 413 before the server sees the request. Nobody says where its
/// limit is, so batches are halved until one is accepted.
struct RequestSizes: Equatable, Sendable {
    /// What was learned from refusals.
    struct Limit: Equatable, Sendable {
        /// The boxes of a batch together, in bytes; one record may exceed it.
        var boxBytesMax: Int
        /// The smallest box that was refused in a batch of its own; nil if none was.
        var boxBytesRefused: Int?
        /// The smallest request that was refused, in bytes.
        var requestBytesRefused: Int
        /// Until when it counts, milliseconds since 1970.
        var endMilliseconds: UInt64
    }

    /// Each refusal costs an actor, which the account keeps for ever: so not each day.
    static let rememberedMilliseconds: UInt64 = 7 * 86_400_000
    /// A proxy that refuses less than this refuses everything: the batch stays as it is.
    static let boxBytesMin = 16 << 10

    var limit: Limit?
    /// Other than the standard one only in tests, whose records are small.
    var boxBytesMin = Self.boxBytesMin
    /// How many requests carried the batch on its way.
    ///
    /// After a start nobody knows, so one is counted.
    var requestsOfBatch = 1
    /// Whether the next pull shows if the server has accepted the batch on its way.
    var looksForBatch = false

    /// Whether the server may have accepted the batch by a request before the last one.
    ///
    /// Its answer may have been lost, or came while the device was locked.
    var mayHaveArrived: Bool { requestsOfBatch > 1 }

    func limit(atMilliseconds now: UInt64) -> Limit? {
        guard let limit, now < limit.endMilliseconds,
            // The clock was set back.
            limit.endMilliseconds - now <= Self.rememberedMilliseconds
        else { return nil }
        return limit
    }

    /// Learns from a refused batch.
    ///
    /// - Returns: nil if smaller batches may be accepted, else the batch's record that cannot be
    ///   sent.
    mutating func learn(
        from batch: Batch,
        requestBytes: Int,
        nowMilliseconds now: UInt64
    ) -> Envelope? {
        let boxBytes = batch.envelopes.reduce(0) { $0 + $1.box.count }
        let known = limit(atMilliseconds: now)
        let boxBytesMax = known?.boxBytesMax ?? Limits.batchBytesMax
        var learned = Limit(
            boxBytesMax: min(boxBytes, boxBytesMax) / 2,
            boxBytesRefused: known?.boxBytesRefused,
            requestBytesRefused: min(requestBytes, known?.requestBytesRefused ?? .max),
            endMilliseconds: now + Self.rememberedMilliseconds
        )
        defer { limit = learned }
        guard let first = batch.envelopes.first else { return nil }
        if batch.envelopes.count == 1 {
            learned.boxBytesRefused = min(first.box.count, known?.boxBytesRefused ?? .max)
            return first
        }
        // Sealed with so little room, only records that must go together share a batch.
        guard first.box.count > boxBytesMax / 2 else { return nil }
        return batch.envelopes.max { $0.box.count < $1.box.count }
    }
}

extension RequestSizes.Limit {
    /// Four numbers with spaces between; 0 for no refused box.
    var encoded: [UInt8] {
        Array(
            "\(boxBytesMax) \(boxBytesRefused ?? 0) \(requestBytesRefused) \(endMilliseconds)".utf8
        )
    }

    init?(encoded: [UInt8]) {
        let numbers = String(decoding: encoded, as: UTF8.self).split(separator: " ")
        guard numbers.count == 4, let boxes = Int(numbers[0]), let box = Int(numbers[1]),
            let request = Int(numbers[2]), let end = UInt64(numbers[3])
        else { return nil }
        self.init(
            boxBytesMax: boxes,
            boxBytesRefused: box == 0 ? nil : box,
            requestBytesRefused: request,
            endMilliseconds: end
        )
    }
}

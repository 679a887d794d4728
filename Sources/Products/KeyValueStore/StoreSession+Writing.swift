internal import KSAgent

extension StoreSession {
    /// Makes the call with some writes; if no message can hold them, they are refused.
    func answer(
        to taken: TakenWrites,
        _ encoded: [[UInt8]],
        number: Int64
    ) throws(AgentError) -> WrittenKeyValues {
        let call = WriteKeyValues(
            store: store,
            writes: encoded,
            writer: writer,
            number: number,
            isAtomic: taken.isAtomic ? true : nil
        )
        do throws(AgentError) {
            let answer = try link.call(call)
            guard answer.refusals.allSatisfy({ taken.writes.indices.contains($0.place) }) else {
                throw AgentError.malformedMessage
            }
            return answer
        } catch .messageTooLarge {
            // It can never be sent, and nothing after it could be.
            let sentence = AgentError.messageTooLarge.sentence
            let refusals = taken.writes.indices.map { place in
                KeyValueRefusal(place: place, sentence: sentence)
            }
            return WrittenKeyValues(refusals: refusals, merged: [])
        }
    }
}

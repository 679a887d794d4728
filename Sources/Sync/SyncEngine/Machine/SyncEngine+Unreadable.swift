// What the user does about quarantined records, blocked edits and held deletions.

extension SyncEngine {
    /// Pulls the quarantined records again, and sends the blocked edits.
    package func askAgain() throws {
        try replica.askAgain()
        signal.raise()
    }

    /// Lets unsent edits replace the quarantined siblings of their records; see
    /// ``Replica/giveUpUnreadable(beginning:)``.
    package func giveUpUnreadable(beginning prefix: [UInt8]) throws -> Int {
        let count = try replica.giveUpUnreadable(beginning: prefix)
        signal.raise()
        return count
    }

    /// Removes quarantined siblings from the server; see
    /// ``Replica/dropUnreadable(beginning:)``.
    package func dropUnreadable(beginning prefix: [UInt8]?) throws -> [DroppableRecord] {
        let dropped = try replica.dropUnreadable(beginning: prefix)
        signal.raise()
        return dropped
    }

    /// Deletes the entries about which the user is asked, or keeps all of them; see
    /// ``Replica/answerDeletions(_:)``.
    package func answerDeletions(_ answer: DeletionAnswer) throws -> Int {
        let count = try replica.answerDeletions(answer)
        signal.raise()
        return count
    }
}

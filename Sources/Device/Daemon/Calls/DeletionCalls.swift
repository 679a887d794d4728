package import KSAgent
internal import KSDeviceKeys
internal import KSKeychain
internal import KSKeychainRecords
internal import KSRecords
internal import KSRedaction
internal import KSResolution
internal import KSSyncEngine
internal import Logging

/// Lists the items that other devices have deleted, and which stay until the user answers.
package struct ListHeldDeletions: HandledCall, Codable {
    package typealias Answer = DeletedItemList
    package static let name = "deletions.held"
    package static let permission = AgentPermission.seesAll

    package init() {}

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> DeletedItemList {
        let engine = try await daemon.engineOfOpenKeychain()
        let held = try await engine.withReplica { try $0.heldDeletions() }
        var list = DeletedItemList([], unreadableCount: 0)
        for deletion in held {
            if let item = SyncedKeychain.entry(of: deletion.state) {
                var listed = ListedDeletion(DeletedItem(deletion, item))
                listed.isSynced = true
                list.items.append(listed)
            } else {
                list.unreadableCount += 1
            }
        }
        list.items.sort { $0.deleted.secondsSince2001 > $1.deleted.secondsSince2001 }
        return list
    }
}

extension DeletedItem {
    fileprivate init(_ deletion: HeldDeletion, _ item: Item) {
        let milliseconds = deletion.note?.milliseconds ?? item.changedMilliseconds
        self.init(
            id: Array(deletion.record.bytes.prefix(16)),
            item: item,
            seconds: Double(milliseconds) / 1000 - ItemStore.secondsFrom1970To2001,
            device: deletion.note.map { .other($0.device) } ?? .unknown
        )
    }
}

/// Keeps the items that other devices have deleted, or deletes them here too.
package struct AnswerDeletions: HandledCall, Codable {
    package typealias Answer = AnsweredDeletions
    package static let name = "deletions.answer"
    package static let permission = AgentPermission.seesAll

    /// Whether the items stay, and come back on all devices.
    package var keeps: Bool

    package init(keeps: Bool) { self.keeps = keeps }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> AnsweredDeletions {
        let answer = keeps ? DeletionAnswer.keep : .accept
        let count = try await daemon.engineOfOpenKeychain().answerDeletions(answer)
        daemon.logger.notice("held deletions were answered")
        return AnsweredDeletions(count: count)
    }
}

extension CallHandler {
    /// The engine, unless the device is locked: what it received since may be deletions, and its
    /// records cannot be read.
    func engineOfOpenKeychain() async throws -> SyncEngine {
        let engine = try await accounts.engine()
        guard owner.files.keys.lockState == .unlocked else { throw CommandFailure.locked }
        return engine
    }
}

/// How many items ``AnswerDeletions`` has kept or deleted.
package struct AnsweredDeletions: AgentCoded, Codable {
    package var count: Int
}

internal import KSBytes
package import KSDaemon

/// The lines about devices that others have added or removed since the user last looked.
package enum DeviceNewsLines {
    private static let shownMax = 10

    /// Below the list of devices.
    package static func list(_ news: [ShownDeviceNews]) -> [String] {
        shown(news).map { "Since you last looked: \($0)" }
    }

    /// In the status.
    package static func status(_ news: [ShownDeviceNews]?) -> [String] {
        shown(news ?? []).map { "devices      \($0) (sync-client devices shows them)" }
    }

    /// After a sync; nil without news.
    package static func sentence(_ news: [ShownDeviceNews]?) -> String? {
        guard let news, !news.isEmpty else { return nil }
        return "The account's devices have changed: \(shown(news).joined(separator: ", ")). See"
            + " sync-client devices; if you do not know one of them, remove it with sync-client"
            + " revoke."
    }

    static func warn(_ news: [ShownDeviceNews]?) {
        if let sentence = sentence(news) { Console.warn(sentence) }
    }

    private static func shown(_ news: [ShownDeviceNews]) -> [String] {
        let words = news.suffix(shownMax).map { news in
            let isGone = news.change == "added" && !news.isMember
            return "\(news.change) \(news.name?.printable ?? "(unreadable name)") (\(news.code)"
                + (isGone ? ", no longer a member)" : ")")
        }
        let more = news.count - words.count
        return (more > 0 ? [counted(more, "earlier change")] : []) + words
    }
}

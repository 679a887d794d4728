/// Apple's numbers for how a call ended.
package enum SecStatus {
    package typealias Entry = (name: String, status: Int32, message: String)

    /// Apple's sentence about a status; nil for one that is in no list.
    package static func message(of status: Int32) -> String? {
        all.first { $0.status == status }?.message
    }
}

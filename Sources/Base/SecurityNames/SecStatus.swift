/// Apple's status codes.
package enum SecStatus {
    package typealias Entry = (name: String, status: Int32, message: String)

    /// Apple's sentence about a status; nil for an unknown one.
    package static func message(of status: Int32) -> String? {
        all.first { $0.status == status }?.message
    }
}

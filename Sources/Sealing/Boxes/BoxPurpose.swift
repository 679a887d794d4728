/// What a box is for, so that none opens in another's place.
package enum BoxPurpose: String, Sendable, CaseIterable {
    case record
    case head
    case names
    case credentials
    case recovery
    case joinRequest = "join request"
    case classKey = "class key"
    case row
    case backup
    case fileKey = "file key"
}

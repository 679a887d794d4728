import KSKeyValues

/// A fault that the tests must notice.
enum PlantedBug: CaseIterable {
    /// The counter forgets what was reset.
    case droppedCut
    /// The server accepts a second write under a dot, and two copies of a device make equal stamps.
    case reusedDot
    /// 1 and 1.0 are one element.
    case equatedNumbers
    /// A maximum accepts every number that is set.
    case loweredMaximum
    /// A batch that is taken apart loses its increments.
    case forgottenIncrements
    /// A program that writes a counter is taken to have read what the device shows now.
    case forgottenView
    /// A removal takes the element that has the index now.
    case removalByIndex

    /// The type whose histories reveal the fault.
    var type: MergeType {
        switch self {
        case .droppedCut, .forgottenIncrements, .forgottenView: .counter
        case .reusedDot, .equatedNumbers: .set
        case .loweredMaximum: .maximum
        case .removalByIndex: .list
        }
    }
}

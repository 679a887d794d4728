// The question to a user of whose items others have deleted most.

extension PlantedBug {
    package static let keepsNothing = PlantedBug(
        "keepsNothing",
        "A device whose user keeps the items only forgets the question",
        breaks: .nothingIsLost,
        in: .sweeps
    )
    package static let asksNothing = PlantedBug(
        "asksNothing",
        "A device deletes the items without a question",
        breaks: .usersAreAsked,
        in: .sweeps
    )
    static let forgetsRecentDeletions = PlantedBug(
        "forgetsRecentDeletions",
        "Deletions that come one by one are not counted together",
        breaks: .usersAreAsked,
        in: .slowSweeps
    )

    static let ofSweeps = [
        keepsNothing, asksNothing, forgetsRecentDeletions,
    ]
}

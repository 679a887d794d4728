// What the code between a program and the merge types makes of a change; the mistakes themselves
// are in `SimulatedProgram` and where worlds write key-values.

extension PlantedBug {
    package static let countsInRegister = PlantedBug(
        "countsInRegister",
        "A program counts in a register instead of a counter",
        breaks: .nothingIsLost,
        in: .mergeTypes
    )
    package static let insertsMovedElement = PlantedBug(
        "insertsMovedElement",
        "A moved element of a list is inserted again where it goes",
        breaks: .writesCountOnce,
        in: .keyValues
    )
    package static let resetsByDifference = PlantedBug(
        "resetsByDifference",
        "A counter is reset by adding the difference to what is read",
        breaks: .nothingComesBack,
        in: .keyValues
    )
    package static let replacesOtherType = PlantedBug(
        "replacesOtherType",
        "An entry of another type than the program's own is replaced",
        breaks: .nothingIsLost,
        in: .mergeTypes
    )
    static let setsWholeMap = PlantedBug(
        "setsWholeMap",
        "A map is set as a whole, not by what the program has changed",
        breaks: .nothingIsLost,
        in: .keyValues
    )
    static let setsWholeSet = PlantedBug(
        "setsWholeSet",
        "A set is set as a whole, not by what the program has changed",
        breaks: .nothingIsLost,
        in: .keyValues
    )
    static let comparesWithPresent = PlantedBug(
        "comparesWithPresent",
        "A counter's change is taken from what it is, not from what was read",
        breaks: .nothingIsLost,
        in: .keyValues
    )
    static let removesByIndex = PlantedBug(
        "removesByIndex",
        "The element of a list is removed that has the index now",
        breaks: .nothingIsLost,
        in: .keyValues
    )
    static let setsMapCounter = PlantedBug(
        "setsMapCounter",
        "A counter in a map is set to the sum instead of counted up",
        breaks: .nothingIsLost,
        in: .keyValues
    )
    static let keepsLastNumber = PlantedBug(
        "keepsLastNumber",
        "A maximum is the last number, not the highest",
        breaks: .nothingIsLost,
        in: .mergeTypes
    )

    static let ofPrograms = [
        countsInRegister, insertsMovedElement, resetsByDifference, replacesOtherType, setsWholeMap,
        setsWholeSet, comparesWithPresent, removesByIndex, setsMapCounter, keepsLastNumber,
    ]
}

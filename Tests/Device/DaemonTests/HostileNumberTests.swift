import KSAgent
import KSDaemon
import KSKeychainFiles
import Testing

/// Numbers at which arithmetic ends, in calls that any program can make.
struct HostileNumberTests {
    @Test(arguments: [Int64.max, Int64.max - 1, 1])
    func `a limit and a number to skip may be as large as numbers are`(limit: Int64) async throws {
        let world = try HandlerWorld()
        for service in ["a", "b"] {
            let reply = await world.answer(
                "item.add",
                ["class": "genp", "attributes": ["svce": .string(service)]],
                of: HandlerWorld.program
            )
            #expect(reply == .result(.array([])))
        }
        for skip in [0, 1, 1_000_000_000] as [Int64] {
            let reply = await world.answer(
                "item.find",
                ["class": "genp", "limit": .integer(limit), "skip": .integer(skip)],
                of: HandlerWorld.program
            )
            guard case .result(let value) = reply else {
                Issue.record("\(reply)")
                continue
            }
            let count = max(0, min(limit, 2 - min(skip, 2)))
            #expect(try [FoundItem](value).count == Int(count))
        }
    }

    private static let dates: [(Double, UInt64)] = [
        (.nan, 0), (.infinity, .max), (-.infinity, 0), (1e300, .max), (-1e300, 0),
        (0, 978_307_200_000), (-978_307_200, 0),
    ]

    @Test(arguments: dates)
    func `a date that is no date has a time all the same`(seconds: Double, milliseconds: UInt64) {
        #expect(AgentDate(secondsSince2001: seconds).milliseconds == milliseconds)
    }
}

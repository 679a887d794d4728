import KSRealStories
import Simulation
import Testing

/// What differs between two ends of a story.
struct EndComparisonTests {
    private func end(
        _ name: String = "laptop",
        _ values: DeviceEnd.Value...,
        unsent: Int = 0,
        obstacle: UnsentReason? = nil
    ) -> DeviceEnd {
        var end = DeviceEnd(name: name)
        (end.values, end.unsentCount, end.obstacle) = (values, unsent, obstacle)
        return end
    }

    private func names(_ simulated: DeviceEnd, _ real: DeviceEnd) -> [String] {
        EndComparison.differences(simulated: [simulated], real: [real]).map {
            "\($0.device) \($0.name): \($0.simulated) / \($0.real)"
        }
    }

    private let mail = DeviceEnd.Value(name: "mail password", shown: "a", conflicts: ["b"])

    @Test
    func `each value, conflict and count that differs is named with its device`() {
        let other = DeviceEnd.Value(name: "mail password", shown: "a", conflicts: [])
        let key = DeviceEnd.Value(name: "kv theme", shown: "dark")
        #expect(names(end("laptop", mail), end("laptop", mail)).isEmpty)
        #expect(
            names(end("laptop", mail), end("laptop", other)) == [
                "laptop mail password: a, conflict b / a"
            ]
        )
        #expect(
            names(end("laptop", mail), end("laptop", mail, key, unsent: 2)) == [
                "laptop kv theme: nothing / dark", "laptop unsent: 0 / 2",
            ]
        )
        #expect(
            names(end("laptop", mail), end("laptop")) == [
                "laptop mail password: a, conflict b / nothing"
            ]
        )
    }

    @Test
    func `a title counts only where the story has set one`() {
        let title = DeviceEnd.Value(name: "mail title", shown: "mail")
        let set = DeviceEnd.Value(name: "mail title", shown: "My mail")
        #expect(names(end("laptop", mail), end("laptop", mail, title)).isEmpty)
        #expect(!names(end("laptop", mail, set), end("laptop", mail, title)).isEmpty)
    }

    @Test
    func `of a device that shows nothing only that is compared`() {
        let killed = end("laptop", unsent: 1, obstacle: .killed)
        #expect(names(killed, end("laptop", obstacle: .killed)).isEmpty)
        #expect(names(killed, end("laptop", mail)) == ["laptop state: killed / runs"])
        let missing = EndComparison.differences(simulated: [killed], real: [])
        #expect(missing.map(\.name) == ["device"])
    }
}

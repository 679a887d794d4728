import CoreMetrics
import KSOpenMetrics
import Testing

struct MetricsRegistryTests {
    private let registry = MetricsRegistry([
        MetricFamily("requests", .counter, "Requests that were answered."),
        MetricFamily("wait_seconds", .histogram(bounds: [0.01, 0.1, 1]), "How long they took."),
        MetricFamily("streams", .gauge, "Open \"streams\"\nnow, with a \\."),
    ])

    @Test
    func `metrics are exported in the form of OpenMetrics`() {
        Counter(
            label: "requests",
            dimensions: [("route", "/v1"), ("code", "200")],
            factory: registry
        )
        .increment(by: 3)
        Counter(
            label: "requests",
            dimensions: [("code", "404"), ("route", "a\"b\\c\nd")],
            factory: registry
        )
        .increment()
        let timer = CoreMetrics.Timer(label: "wait_seconds", dimensions: [], factory: registry)
        for milliseconds in [5, 10, 50, 2_000] { timer.recordMilliseconds(milliseconds) }
        Meter(label: "streams", dimensions: [], factory: registry).set(2.5)
        #expect(
            registry.text == #"""
                # TYPE requests counter
                # HELP requests Requests that were answered.
                requests_total{code="200",route="/v1"} 3
                requests_total{code="404",route="a\"b\\c\nd"} 1
                # TYPE wait_seconds histogram
                # UNIT wait_seconds seconds
                # HELP wait_seconds How long they took.
                wait_seconds_bucket{le="0.01"} 2
                wait_seconds_bucket{le="0.1"} 3
                wait_seconds_bucket{le="1.0"} 3
                wait_seconds_bucket{le="+Inf"} 4
                wait_seconds_count 4
                wait_seconds_sum 2.065
                # TYPE streams gauge
                # HELP streams Open \"streams\"\nnow, with a \\.
                streams 2.5
                # EOF

                """#
        )
    }

    @Test
    func `a family that was not declared, or another kind of it, is not exported`() {
        Counter(label: "foreign", dimensions: [("name", "ada")], factory: registry).increment()
        Meter(label: "requests", dimensions: [], factory: registry).set(1)
        Counter(label: "streams", dimensions: [], factory: registry).increment()
        #expect(registry.text == "# EOF\n")
    }

    @Test
    func `a metric keeps its value after its last user is gone`() {
        for _ in 0..<2 { Counter(label: "requests", dimensions: [], factory: registry).increment() }
        let counter = Counter(label: "requests", dimensions: [], factory: registry)
        counter.increment(by: 1)
        counter.destroy()
        #expect(registry.text.contains("requests_total 3\n"))
    }

    @Test
    func `a counter never falls`() {
        let counter = FloatingPointCounter(label: "requests", dimensions: [], factory: registry)
        counter.increment(by: 2.0)
        counter.increment(by: -1.0)
        counter.increment(by: Double.nan)
        #expect(registry.text.contains("requests_total 2\n"))
    }

    @Test
    func `many threads count together`() async {
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { [registry] in
                    for _ in 0..<1_000 {
                        Counter(label: "requests", dimensions: [], factory: registry).increment()
                    }
                }
            }
        }
        #expect(registry.text.contains("requests_total 8000\n"))
    }
}

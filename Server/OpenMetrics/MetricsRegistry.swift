package import CoreMetrics
internal import Synchronization

/// The metrics of a program, which swift-metrics fills and a scraper reads.
///
/// A metric of a family that the registry was not given, or of another kind than its family's, is
/// not exported.
package final class MetricsRegistry: MetricsFactory, Sendable {
    private struct Key: Hashable {
        let name: String
        let labels: [String]
    }

    private let families: [MetricFamily]
    private let instruments = Mutex<[Key: Instrument]>([:])

    /// `families`: in the order in which they are exported.
    package init(_ families: [MetricFamily]) {
        self.families = families
    }

    private func instrument(
        _ name: String,
        _ labels: [(String, String)],
        where fits: (MetricFamily.Kind) -> Bool
    ) -> Instrument? {
        guard let family = families.first(where: { $0.name == name }), fits(family.kind) else {
            return nil
        }
        let sorted = labels.sorted { $0.0 < $1.0 }
        let key = Key(name: name, labels: sorted.flatMap { [$0.0, $0.1] })
        return instruments.withLock { instruments in
            if let instrument = instruments[key] { return instrument }
            let instrument = Instrument(family, sorted)
            instruments[key] = instrument
            return instrument
        }
    }

    private func counter(_ name: String, _ labels: [(String, String)]) -> Instrument? {
        instrument(name, labels) { if case .counter = $0 { true } else { false } }
    }

    private func gauge(_ name: String, _ labels: [(String, String)]) -> Instrument? {
        instrument(name, labels) { if case .gauge = $0 { true } else { false } }
    }

    private func histogram(_ name: String, _ labels: [(String, String)]) -> Instrument? {
        instrument(name, labels) { if case .histogram = $0 { true } else { false } }
    }

    // MARK: MetricsFactory

    package func makeCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any CounterHandler {
        counter(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    package func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        counter(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        gauge(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    package func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        let found = aggregate ? histogram(label, dimensions) : gauge(label, dimensions)
        return found ?? NOOPMetricsHandler.instance
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    // A metric stays with its value: a counter that begins again is taken for a restart.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    // MARK: Export

    /// All metrics in the form of OpenMetrics 1.0.
    package var text: String {
        let present = instruments.withLock { Array($0.values) }
        let byName = Dictionary(grouping: present) { $0.family.name }
        var text = ""
        for family in families {
            guard let instruments = byName[family.name] else { continue }
            text += OpenMetricsText.head(of: family)
            let sorted = instruments.sorted { first, second in
                first.labels.map(\.1).lexicographicallyPrecedes(second.labels.map(\.1))
            }
            for instrument in sorted { text += OpenMetricsText.samples(of: instrument) }
        }
        return text + "# EOF\n"
    }

    package static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"
}

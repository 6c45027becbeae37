import CoreMetrics
import Synchronization

/// The metrics of a server, which are collected with swift-metrics and rendered in the text format of
/// Prometheus.
final class MetricsRegistry: MetricsFactory {
    /// The upper bounds of the buckets of durations in seconds.
    fileprivate static let bounds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30]

    fileprivate struct Key: Hashable, Comparable {
        var label: String
        /// The dimensions in the text format, such as `{route="/livez"}`.
        var dimensions: String

        init(_ label: String, _ dimensions: [(String, String)]) {
            self.label = label
            self.dimensions = dimensions.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
        }

        private static func escaped(_ text: String) -> String {
            text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        }

        static func < (left: Key, right: Key) -> Bool {
            (left.label, left.dimensions) < (right.label, right.dimensions)
        }
    }

    fileprivate struct Histogram {
        var counts = [Int](repeating: 0, count: bounds.count)
        var count = 0
        var sum = 0.0
    }

    private struct State {
        var counters: [Key: Int64] = [:]
        var gauges: [Key: Double] = [:]
        var histograms: [Key: Histogram] = [:]
    }

    private let state = Mutex(State())

    /// A counter, recorder or timer, which changes the registry.
    private final class Handler: CounterHandler, RecorderHandler, TimerHandler {
        private let registry: MetricsRegistry
        private let key: Key
        private let isGauge: Bool

        init(_ registry: MetricsRegistry, _ key: Key, isGauge: Bool = false) {
            (self.registry, self.key, self.isGauge) = (registry, key, isGauge)
        }

        func increment(by amount: Int64) {
            registry.state.withLock { $0.counters[key, default: 0] += amount }
        }

        func reset() { registry.state.withLock { $0.counters[key] = 0 } }

        func record(_ value: Int64) { record(Double(value)) }

        func record(_ value: Double) {
            registry.state.withLock { state in
                if isGauge { state.gauges[key] = value } else { state.histograms.add(value, to: key) }
            }
        }

        func recordNanoseconds(_ duration: Int64) {
            registry.state.withLock { $0.histograms.add(Double(duration) / 1e9, to: key) }
        }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Handler(self, Key(label, dimensions))
    }

    func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        Handler(self, Key(label, dimensions), isGauge: !aggregate)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        Handler(self, Key(label, dimensions))
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    /// Returns all metrics in the text format of Prometheus.
    func text() -> String {
        let state = state.withLock { $0 }
        var lines: [String] = []
        func describe(_ label: String, _ type: String) {
            let line = "# TYPE \(label) \(type)"
            if !lines.contains(line) { lines.append(line) }
        }
        func name(_ key: Key, suffix: String = "", _ more: String = "") -> String {
            let all = [key.dimensions, more].filter { !$0.isEmpty }.joined(separator: ",")
            return key.label + suffix + (all.isEmpty ? "" : "{\(all)}")
        }
        for (key, value) in state.counters.sorted(by: { $0.key < $1.key }) {
            describe(key.label, "counter")
            lines.append("\(name(key)) \(value)")
        }
        for (key, value) in state.gauges.sorted(by: { $0.key < $1.key }) {
            describe(key.label, "gauge")
            lines.append("\(name(key)) \(value)")
        }
        for (key, histogram) in state.histograms.sorted(by: { $0.key < $1.key }) {
            describe(key.label, "histogram")
            for (bound, count) in zip(Self.bounds, histogram.counts) {
                lines.append("\(name(key, suffix: "_bucket", "le=\"\(bound)\"")) \(count)")
            }
            lines.append("\(name(key, suffix: "_bucket", "le=\"+Inf\"")) \(histogram.count)")
            lines.append("\(name(key, suffix: "_sum")) \(histogram.sum)")
            lines.append("\(name(key, suffix: "_count")) \(histogram.count)")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension [MetricsRegistry.Key: MetricsRegistry.Histogram] {
    /// Adds a value to a histogram, whose buckets are cumulative.
    fileprivate mutating func add(_ value: Double, to key: Key) {
        var histogram = self[key] ?? .init()
        for (index, bound) in MetricsRegistry.bounds.enumerated() where value <= bound {
            histogram.counts[index] += 1
        }
        histogram.count += 1
        histogram.sum += value
        self[key] = histogram
    }
}

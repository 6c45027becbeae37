package import Foundation

/// The distribution of the cosines of random pairs of a store's passages, which shows where the scale of cosines
/// begins: unrelated texts have a mean cosine of about 0.1 with one model and of 0.8 with another.
package struct PairStatistics: Sendable, Hashable, Codable {
    /// The mean cosine of two passages of different entries that are not copies of each other.
    package var mean: Float
    package var deviation: Float

    /// The number of passages in the sample, all pairs of which are compared. The standard error of the
    /// deviation is then 1 to 2%; in a store with at most as many passages, scores do not depend on ids.
    package static let sampleSize = 512
    /// The statistics that are assumed for a store without passages: those of many stores of notes with
    /// sentence-transformers models.
    package static let prior = PairStatistics(mean: 0.1, deviation: 0.12)
    /// The weight of the prior, as a number of pairs. The prior dominates only in stores with few entries.
    private static let priorPairs = 10.0
    /// The minimum deviation, so that a store of very similar texts has finite scores.
    private static let minimumDeviation = 0.02
    /// The cosine from which two passages are copies, as for `roost similar --duplicates`. Copies do not show
    /// how similar unrelated texts are: in a store with many copies, they would lower all scores to 0.
    fileprivate static let copyCosine: Float = 0.95

    /// Returns rows of entries that are spread evenly.
    package static func sample(of rows: RowSet) -> RowSet {
        guard rows.count > sampleSize else { return rows }
        // The offsets at which the share of the rows reaches the next share of the sample.
        let spread = rows.enumerated().filter { $0.offset * sampleSize % rows.count < sampleSize }
        return RowSet(spread.map(\.element))
    }

    private init(mean: Float, deviation: Float) { (self.mean, self.deviation) = (mean, deviation) }

    /// Computes the statistics of a sample.
    package init(of sample: [(entry: UUID, vector: [Float])]) {
        let dimension = sample.first?.vector.count ?? 0
        let sample = sample.filter { $0.vector.count == dimension }
        let vectors = Matrix(sample.map(\.vector), columns: dimension)
        let cosines = vectors.products(of: 0..<sample.count, with: vectors)
        var (count, sum, squares) = (0.0, 0.0, 0.0)
        for (row, first) in sample.enumerated() {
            for column in (row + 1)..<sample.count where sample[column].entry != first.entry {
                guard cosines[row * sample.count + column] < Self.copyCosine else { continue }
                let cosine = Double(cosines[row * sample.count + column])
                count += 1
                sum += cosine
                squares += cosine * cosine
            }
        }
        let (priorMean, priorDeviation) = (Double(Self.prior.mean), Double(Self.prior.deviation))
        let total = count + Self.priorPairs
        let mean = (sum + Self.priorPairs * priorMean) / total
        let square =
            (squares + Self.priorPairs * (priorDeviation * priorDeviation + priorMean * priorMean)) / total
        let deviation = max(Self.minimumDeviation, max(0, square - mean * mean).squareRoot())
        self.init(mean: Float(mean), deviation: Float(deviation))
    }
}

/// A sample of passages. It depends only on the ids of the entries, so an index that was updated many times has
/// the same sample as one that was built at once.
package struct PassageSample {
    private typealias Member = (key: UInt64, entry: UUID, ordinal: Int, row: Int, vector: [Float])

    /// The members of the sample so far, and some candidates that it will not contain. The array is sorted
    /// and truncated when its length has doubled.
    private var members: [Member] = []
    private var threshold = UInt64.max

    /// - Parameter row: The row of the passage in its file.
    package mutating func add(
        _ entry: UUID, _ ordinal: Int, row: Int, _ vector: @autoclosure () -> [Float]
    ) {
        let key = Self.key(entry, ordinal)
        guard key <= threshold else { return }
        members.append((key, entry, ordinal, row, vector()))
        if members.count >= 2 * PairStatistics.sampleSize { cut() }
    }

    package init() {}

    package mutating func statistics() -> PairStatistics {
        cut()
        return PairStatistics(of: members.map { ($0.entry, $0.vector) })
    }

    package mutating func hubs() -> HubSample {
        cut()
        let vectors = Matrix(members.map(\.vector), columns: members.first?.vector.count ?? 0)
        return HubSample(vectors, entries: members.map(\.entry), rows: members.map { UInt32($0.row) })
    }

    private mutating func cut() {
        members.sort { ($0.key, $0.entry, $0.ordinal) < ($1.key, $1.entry, $1.ordinal) }
        members.removeLast(max(0, members.count - PairStatistics.sampleSize))
        if members.count == PairStatistics.sampleSize, let last = members.last { threshold = last.key }
    }

    /// Returns a hash of a passage, by which the sample is selected.
    private static func key(_ entry: UUID, _ ordinal: Int) -> UInt64 {
        let halves = withUnsafeBytes(of: entry.uuid) {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        var hash = UInt64(littleEndian: halves.0) &+ UInt64(ordinal) &* 0x9E37_79B9_7F4A_7C15
        for value in [UInt64(littleEndian: halves.1), 0] {
            hash = (hash ^ (hash >> 30) ^ value) &* 0xBF58_476D_1CE4_E5B9
            hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
            hash ^= hash >> 31
        }
        return hash
    }
}

/// A sample of passages that shows which passages are hubs: near to many others, and so to queries that they do
/// not answer, such as short greetings in conversations (Radovanović, Nanopoulos & Ivanović 2010).
package struct HubSample: Sendable {
    /// The maximum number of nearest passages whose mean cosine is the hubness.
    private static let neighbors = 10
    /// The share of the hubness that is subtracted from cosines, as in CSLS (Conneau et al. 2018).
    private static let weight: Float = 0.5

    private let vectors: Matrix
    private let entries: [UUID]
    /// The rows of the passages in the file that they come from.
    package let rows: [UInt32]

    package init(_ vectors: Matrix, entries: [UUID], rows: [UInt32] = []) {
        (self.vectors, self.entries, self.rows) = (vectors, entries, rows)
    }

    /// Returns the number to subtract from the cosines of each passage. Only the differences between passages
    /// matter.
    ///
    /// - Parameter passages: Vectors, (n, d), unit length.
    package func corrections(of passages: Matrix, _ entries: [UUID]) -> [Float] {
        guard passages.columns == vectors.columns else { return Array(repeating: 0, count: passages.rows) }
        return hubness(of: passages, entries).map { Self.weight * $0 }
    }

    private func hubness(of passages: Matrix, _ owners: [UUID]) -> [Float] {
        guard passages.rows > 0, vectors.rows > 0 else { return Array(repeating: 0, count: passages.rows) }
        let cosines = passages.products(of: 0..<passages.rows, with: vectors)
        let count = min(Self.neighbors, max(1, entries.count / 8))
        return cosines.withUnsafeBufferPointer { cosines in
            owners.indices.map { row in
                // The highest cosines so far, in ascending order.
                var nearest: [Float] = []
                for column in entries.indices {
                    let cosine = cosines[row * entries.count + column]
                    guard nearest.count < count || cosine > nearest[0], cosine < PairStatistics.copyCosine,
                        entries[column] != owners[row]
                    else { continue }
                    if nearest.count == count { nearest.removeFirst() }
                    nearest.insert(cosine, at: nearest.firstIndex { $0 > cosine } ?? nearest.count)
                }
                return nearest.isEmpty ? 0 : nearest.reduce(0, +) / Float(nearest.count)
            }
        }
    }
}

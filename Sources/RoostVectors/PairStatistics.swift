package import Foundation

/// The distribution of the cosines of random pairs of a store's passages, from which scores are calibrated: a
/// cosine means little by itself, because unrelated texts have a mean cosine of about 0.1 in one store and
/// model and of 0.7 in another.
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
    private static let copyCosine = 0.95

    /// Returns rows of entries that are spread evenly.
    package static func sample(of rows: RowSet) -> RowSet {
        let step = max(1, rows.count / sampleSize)
        let spread = rows.enumerated().lazy.filter { $0.offset % step == 0 }
        return RowSet(spread.prefix(sampleSize).map(\.element))
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
                let cosine = Double(cosines[row * sample.count + column])
                guard cosine.isFinite, cosine < Self.copyCosine else { continue }
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
    private typealias Member = (key: UInt64, entry: UUID, ordinal: Int, vector: [Float])

    /// The members of the sample so far, and some candidates that it will not contain. The array is sorted
    /// and truncated when its length has doubled.
    private var members: [Member] = []
    private var threshold = UInt64.max

    package mutating func add(_ entry: UUID, _ ordinal: Int, _ vector: @autoclosure () -> [Float]) {
        let key = Self.key(entry, ordinal)
        guard key <= threshold else { return }
        members.append((key, entry, ordinal, vector()))
        if members.count >= 2 * PairStatistics.sampleSize { cut() }
    }

    package init() {}

    package mutating func statistics() -> PairStatistics {
        cut()
        return PairStatistics(of: members.map { ($0.entry, $0.vector) })
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

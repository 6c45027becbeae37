import RoostModel
import Synchronization

/// The statistics of the vectors in a database, which a client keeps until the number of entries has changed
/// by more than a tenth.
final class PairStatisticsCache: Sendable {
    private struct Known {
        let stamp: Stamp
        let statistics: PairStatistics
    }

    private let known = Mutex<Known?>(nil)

    /// Returns the statistics of a state of a store.
    ///
    /// - Parameter sample: Reads a sample of the vectors.
    func statistics(at stamp: Stamp, _ sample: () async throws -> VectorPage) async throws -> PairStatistics {
        if let known = known.withLock({ $0 }), known.stamp.epoch == stamp.epoch,
            abs(stamp.entryCount - known.stamp.entryCount) <= known.stamp.entryCount / 10
        {
            return known.statistics
        }
        let statistics = PassageContents(of: try await sample()).statistics
        known.withLock { $0 = Known(stamp: stamp, statistics: statistics) }
        return statistics
    }
}

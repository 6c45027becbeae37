import Foundation
import RoostModel
import Synchronization

/// The distribution of the cosines of random pairs of passages in the latest searched state of a store whose
/// vectors are in a database. The copies of a store share it.
final class PairStatisticsCache: Sendable {
    private struct Known {
        let epoch: UUID
        let revision: Revision
        let statistics: PairStatistics
    }

    private let known = Mutex<Known?>(nil)

    /// Returns the statistics of a state.
    ///
    /// - Parameter sample: Returns the vectors of a sample of passages.
    func statistics(
        at stamp: Stamp, _ sample: () async throws -> VectorPage
    ) async throws -> PairStatistics {
        if let known = known.withLock({ $0 }), known.epoch == stamp.epoch, known.revision == stamp.revision {
            return known.statistics
        }
        let statistics = PassageContents(of: try await sample()).statistics
        known.withLock {
            $0 = Known(epoch: stamp.epoch, revision: stamp.revision, statistics: statistics)
        }
        return statistics
    }
}

import Foundation
import RoostModel
import Synchronization

/// The distribution of the cosines of random pairs of passages in a recently searched state of a store whose
/// vectors are in a database. The copies of a store share it.
///
/// In a large store, a few changes hardly affect the distribution. It is therefore not read again after each
/// commit of any client, but when the store has grown or shrunk by a tenth, or after ten minutes.
final class PairStatisticsCache: Sendable {
    private struct Known {
        let stamp: Stamp
        let time: ContinuousClock.Instant
        let statistics: PairStatistics
    }

    private let known = Mutex<Known?>(nil)

    /// The minimum number of entries of a store whose statistics are also used for later revisions. In a
    /// smaller store, the sample contains a large share of the entries.
    static let minimumEntries = 5 * PairStatistics.sampleSize / 2

    /// The maximum time for which statistics are used for later revisions.
    private static let lifetime = Duration.seconds(600)

    /// Returns the statistics of a state, or those of a similar earlier state.
    ///
    /// - Parameters:
    ///   - now: The present time.
    ///   - sample: Returns the vectors of a sample of passages.
    func statistics(
        at stamp: Stamp, now: ContinuousClock.Instant = .now, _ sample: () async throws -> VectorPage
    ) async throws -> PairStatistics {
        if let known = known.withLock({ $0 }), Self.isUsable(known, at: stamp, now) {
            return known.statistics
        }
        let statistics = PassageContents(of: try await sample()).statistics
        known.withLock { $0 = Known(stamp: stamp, time: now, statistics: statistics) }
        return statistics
    }

    private static func isUsable(_ known: Known, at stamp: Stamp, _ now: ContinuousClock.Instant) -> Bool {
        guard known.stamp.store == stamp.store, known.stamp.epoch == stamp.epoch else { return false }
        if known.stamp.revision == stamp.revision { return true }
        let (before, after) = (known.stamp.entryCount, stamp.entryCount)
        return min(before, after) >= minimumEntries && abs(after - before) <= before / 10
            && now - known.time <= lifetime
    }
}

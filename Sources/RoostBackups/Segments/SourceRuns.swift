import Crypto
import Foundation
import RoostModel

/// Divides sources, in the order of their ids, into runs. The boundaries are content-defined, like those of
/// ``RunBoundaries``.
enum SourceRuns {
    /// The average number of sources from one boundary to the next.
    private static let spacing: UInt64 = 256
    /// The maximum number of sources in a run.
    private static let maximumCount = 1024

    struct Run {
        var sources: [Source]
        /// The hash of the last source's id; 0 if the run ends only because there are no more sources.
        var bound: UInt64
    }

    /// Divides sources into runs.
    static func cut(_ sources: [Source]) -> [Run] {
        let sorted = sources.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        var (runs, run) = ([Run](), [Source]())
        for source in sorted {
            run.append(source)
            let bound = SegmentID(SHA256.hash(data: Data(source.id.utf8))).lowBits
            guard bound % spacing == 0 || run.count >= maximumCount else { continue }
            runs.append(Run(sources: run, bound: bound))
            run = []
        }
        if !run.isEmpty { runs.append(Run(sources: run, bound: 0)) }
        return runs
    }
}

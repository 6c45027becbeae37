import RoostModel
import RoostVectors

/// The groups of a plan's sample.
struct PlannedSample: Sendable {
    var ids: [Entry.ID]
    var vectors: Matrix
    var partition: Partition
}

/// A run of consecutive entries of a store, with the ids of the segments that contain their data.
struct RunRecord: Sendable, Hashable {
    var ids: SegmentID
    var entries: SegmentID
    var vectors: SegmentID
    /// The segment of cluster assignments; `nil` if no entry of the run has an assignment.
    var assignments: SegmentID?
    /// The number of entries in the run.
    var count: Int

    /// The segments of the run.
    var all: [(SegmentID, SegmentKind)] {
        [(ids, .ids), (entries, .entries), (vectors, .vectors)]
            + (assignments.map { [($0, .assignments)] } ?? [])
    }
}

/// The kind of data in a segment. The raw values are part of the on-disk format.
enum SegmentKind: UInt8, Sendable {
    /// The ids of a run of entries.
    case ids = 1
    /// The texts and other properties of a run of entries, without vectors.
    case entries = 2
    /// The vectors of a run of entries and of their passages.
    case vectors = 3
    /// The cluster assignments of a run of entries.
    case assignments = 4
    /// Clusters.
    case clusters = 5
    /// Source records.
    case sources = 6
    /// The clustering run that produced the clusters.
    case run = 7
    /// A list of runs of entries.
    case list = 8
    /// A part of an original file.
    case original = 9
    /// A list of original files.
    case originals = 10
}

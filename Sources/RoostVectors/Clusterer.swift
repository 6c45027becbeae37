/// An algorithm that partitions vectors into groups.
///
/// The result must be deterministic: the same vectors in the same order, the same parameters and the same
/// seed give the same labels, whatever the number of threads.
public protocol Clusterer: Sendable {
    /// The name of the algorithm in the literature, such as `spherical-k-means`. The store records it with
    /// each run.
    var algorithm: String { get }

    /// The seed of the algorithm's random choices, which the store records with each run. The default is 0,
    /// for algorithms that make no random choices.
    var seed: UInt64 { get }

    /// Partitions the rows of a matrix into groups.
    ///
    /// - Parameter vectors: (n, d) row-major Float32; each row has unit length.
    /// - Returns: For each row, its group or the reason why it is an outlier. A store rejects a partition
    ///   whose arrays do not have one element for each row or group, whose parents form a cycle or have rows
    ///   of their own, or that has a number that is not finite (``ClusteringError/Code/invalidPartition``).
    /// - Throws: ``ClusteringError`` if the vectors cannot be partitioned as requested, for example into more
    ///   groups than there are rows; `CancellationError` if the task is canceled.
    func cluster(_ vectors: Matrix) async throws -> Partition
}

extension Clusterer {
    public var seed: UInt64 { 0 }
}

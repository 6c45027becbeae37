/// The record of a shard that a worker has finished.
struct FinishedShard: Sendable, Codable {
    /// The number of shards and the index of this one, from 0.
    var count: Int
    var index: Int
    /// The records of the entries.
    var entries: RecordPages.Summary
}

/// The recall and the speed of a store's graph, measured on the store's own passages.
public struct RecallMeasurement: Sendable, Hashable, Encodable {
    /// The number of passages that were used as queries.
    public var samples: Int
    /// The share of the ten nearest passages that the graph found, from 0 to 1.
    public var recall: Double
    /// The average time per query of an exact search, in milliseconds, with many queries searched at once.
    public var exactMilliseconds: Double
    /// The average time per query of a graph search, in milliseconds, with many queries searched at once.
    public var graphMilliseconds: Double
}

public import Foundation
public import RoostModel

/// The contents, size and age of a store's search index.
public struct IndexDescription: Sendable, Hashable, Encodable {
    /// The number of entries whose words are in the index.
    public var entries: Int
    /// The number of different words; the forms of a word count once.
    public var terms: Int
    /// The number of passages whose vectors are in the index.
    public var passages: Int
    /// The number of components of each vector.
    public var dimension: Int
    /// The size of the index files in bytes.
    public var bytes: Int
    /// Whether there is a graph for approximate search.
    public var hasGraph: Bool
    /// The revision of the store that the index was built from.
    public var revision: Revision
    /// The time at which the index was built.
    public var createdAt: Date
    /// The number of entries that have been changed or removed since the index was built. Searches read them
    /// in addition to the index.
    public var changesSince: Int
}

/// The outcome of ``KnowledgeStore/refreshIndex(minimumEntries:maximumGraphPassages:)``.
public enum IndexRefresh: Sendable, Hashable {
    /// The index is recent enough, or the store does not need one.
    case current
    /// The index was built.
    case written
    /// The index was built without a graph, because building a graph over this number of passages would take
    /// too long.
    case writtenWithoutGraph(passages: Int)
    /// The index is outdated by this number of changed entries, but rebuilding it would take too long.
    case due(changes: Int)
}

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

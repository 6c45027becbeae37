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

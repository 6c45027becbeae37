public import Foundation

/// Identifies one state of one store. Derived data carries the stamp of the state from which it was derived.
///
/// Equal stamps mean equal contents. A restore or repair begins a new epoch, so states of different histories
/// have different stamps even if their revisions are equal.
public struct Stamp: Sendable, Hashable, Codable {
    /// The id of the store.
    public var store: UUID
    /// The id of the history that the revision belongs to.
    public var epoch: UUID
    /// The revision of the latest commit in the state.
    public var revision: Revision
    /// The number of entries.
    public var entryCount: Int
    /// The number of clusters.
    public var clusterCount: Int

    /// Creates a stamp.
    public init(store: UUID, epoch: UUID, revision: Revision, entryCount: Int, clusterCount: Int) {
        self.store = store
        self.epoch = epoch
        self.revision = revision
        self.entryCount = entryCount
        self.clusterCount = clusterCount
    }

    private enum CodingKeys: String, CodingKey {
        case store, epoch, revision, entryCount, clusterCount
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            store: try container.decode(UUID.self, forKey: .store),
            epoch: try container.decode(UUID.self, forKey: .epoch),
            revision: try container.decode(Revision.self, forKey: .revision),
            entryCount: try container.decodeCount(forKey: .entryCount),
            clusterCount: try container.decodeCount(forKey: .clusterCount))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(store.text, forKey: .store)
        try container.encode(epoch.text, forKey: .epoch)
        try container.encode(revision, forKey: .revision)
        try container.encode(entryCount, forKey: .entryCount)
        try container.encode(clusterCount, forKey: .clusterCount)
    }
}

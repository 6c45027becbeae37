public import Foundation

/// A set of changes that one commit makes atomically.
///
/// Removals are applied before upserts, removed source records before new ones, and unassignments before
/// assignments. Data that equals the stored data changes nothing.
public struct WriteBatch: Sendable, Hashable {
    /// Conditions on the store under which a batch may be committed.
    ///
    /// If any condition is false, the commit throws `.conflict` and writes nothing. A writer that has read a
    /// snapshot uses conditions to ensure that nothing relevant has changed since then.
    public struct Expectation: Sendable, Hashable {
        /// The expected value of ``StorageSnapshot/clustersRevision()``; `nil` for no condition.
        public var clusters: Revision?
        /// The expected revisions of entries. `.zero` means that the store must not contain the entry.
        public var entries: [Entry.ID: Revision]
        /// The expected epoch; `nil` for no condition.
        public var epoch: UUID?
        /// The expected latest revision of the store, for a batch that permits no other commit in between;
        /// `nil` for no condition.
        public var revision: Revision?

        /// Creates an expectation. Without arguments, it is always true.
        public init(
            clusters: Revision? = nil, entries: [Entry.ID: Revision] = [:], epoch: UUID? = nil,
            revision: Revision? = nil
        ) {
            (self.clusters, self.entries, self.epoch, self.revision) = (clusters, entries, epoch, revision)
        }

        /// Whether the expectation has no conditions.
        public var isEmpty: Bool { clusters == nil && entries.isEmpty && epoch == nil && revision == nil }
    }

    /// A complete clustering, which replaces the previous clusters, run and assignments.
    public struct Clustering: Sendable, Hashable, Codable {
        /// The run that created the clusters; `nil` if no run created them, for example after an import.
        public var run: ClusteringRun?
        /// The clusters. Their `members` are ignored; `assignments` defines the members.
        public var clusters: [Cluster]
        /// The assignments. Assignments of entries that the store does not contain are skipped. If one names
        /// a cluster that is not among ``clusters``, the commit throws `.invalidBatch`.
        public var assignments: [Assignment]

        /// Creates a clustering.
        public init(run: ClusteringRun?, clusters: [Cluster], assignments: [Assignment]) {
            (self.run, self.clusters, self.assignments) = (run, clusters, assignments)
        }
    }

    /// Entries to insert. Stored entries with the same ids are replaced.
    ///
    /// All vectors of a store have the same dimension. A commit throws `.dimensionMismatch` if a vector has
    /// another one, unless the batch replaces or removes all entries with vectors.
    public var upserts: [Entry]
    /// Entries to remove together with their assignments. Ids that the store does not contain are skipped.
    public var removals: [Entry.ID]
    /// Source records to insert or replace.
    public var sources: [Source]
    /// Source records to remove. Their entries stay, unless `removals` names them.
    public var removedSources: [Source.ID]
    /// A complete clustering that replaces the previous one; applied before `clusters` and `assignments`.
    public var clustering: Clustering?
    /// Individual clusters to insert or replace. Their `members` are ignored.
    public var clusters: [Cluster]
    /// Individual assignments to insert or replace. Assignments of entries that the store does not contain
    /// after the upserts are skipped. If another one names a cluster that neither the store nor the batch
    /// contains, the commit throws `.invalidBatch`.
    public var assignments: [Assignment]
    /// The ids of the entries whose assignments are removed.
    public var unassignments: [Entry.ID]
    /// The epoch of a new history that begins with this commit, as with ``StorageProvider/renewEpoch()``. If
    /// it is the current epoch, no new history begins.
    public var newEpoch: UUID?
    /// The conditions on the store under which the batch may be committed.
    public var expecting: Expectation

    /// Creates a batch. Without arguments, it changes nothing.
    public init(
        upserts: [Entry] = [], removals: [Entry.ID] = [], sources: [Source] = [],
        removedSources: [Source.ID] = [], clustering: Clustering? = nil, clusters: [Cluster] = [],
        assignments: [Assignment] = [], unassignments: [Entry.ID] = [], newEpoch: UUID? = nil,
        expecting: Expectation = Expectation()
    ) {
        (self.upserts, self.removals, self.sources) = (upserts, removals, sources)
        (self.removedSources, self.clustering, self.clusters) = (removedSources, clustering, clusters)
        (self.assignments, self.unassignments, self.newEpoch) = (assignments, unassignments, newEpoch)
        self.expecting = expecting
    }

    /// Whether the batch makes no changes. Expectations are not considered.
    public var isEmpty: Bool {
        upserts.isEmpty && removals.isEmpty && sources.isEmpty && removedSources.isEmpty && clustering == nil
            && clusters.isEmpty && assignments.isEmpty && unassignments.isEmpty && newEpoch == nil
    }
}

extension WriteBatch {
    /// Whether the batch only removes entries or assignments.
    package var isRemoving: Bool {
        !(removals.isEmpty && unassignments.isEmpty) && upserts.isEmpty && clustering == nil
            && clusters.isEmpty && assignments.isEmpty
    }
}

/// The JSON form of a batch, which is written to journals. Expectations are not encoded, because a journal
/// records only batches whose expectations were met.
extension WriteBatch: Codable {
    enum CodingKeys: String, CodingKey {
        case upserts, removals, sources, removedSources, clustering, clusters, assignments, unassignments
        case newEpoch = "epoch"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            upserts: try container.decodeIfPresent([Entry].self, forKey: .upserts) ?? [],
            removals: try container.decodeIfPresent([UUID].self, forKey: .removals) ?? [],
            sources: try container.decodeIfPresent([Source].self, forKey: .sources) ?? [],
            removedSources: try container.decodeIfPresent([String].self, forKey: .removedSources) ?? [],
            clustering: try container.decodeIfPresent(Clustering.self, forKey: .clustering),
            clusters: try container.decodeIfPresent([Cluster].self, forKey: .clusters) ?? [],
            assignments: try container.decodeIfPresent([Assignment].self, forKey: .assignments) ?? [],
            unassignments: try container.decodeIfPresent([UUID].self, forKey: .unassignments) ?? [],
            newEpoch: try container.decodeIfPresent(UUID.self, forKey: .newEpoch))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if !upserts.isEmpty { try container.encode(upserts, forKey: .upserts) }
        if !removals.isEmpty { try container.encode(removals, forKey: .removals) }
        if !sources.isEmpty { try container.encode(sources, forKey: .sources) }
        if !removedSources.isEmpty { try container.encode(removedSources, forKey: .removedSources) }
        try container.encodeIfPresent(clustering, forKey: .clustering)
        if !clusters.isEmpty { try container.encode(clusters, forKey: .clusters) }
        if !assignments.isEmpty { try container.encode(assignments, forKey: .assignments) }
        if !unassignments.isEmpty { try container.encode(unassignments, forKey: .unassignments) }
        try container.encodeIfPresent(newEpoch, forKey: .newEpoch)
    }
}

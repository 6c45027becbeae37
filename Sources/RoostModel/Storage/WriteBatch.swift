public import Foundation

/// The changes that one commit makes, all or none.
///
/// Removals are applied before upserts. Data that equals the stored data changes nothing.
public struct WriteBatch: Sendable, Hashable {
    /// Conditions on the store under which a batch may be committed.
    ///
    /// If one of them is false, the commit throws `.conflict` and writes nothing. A writer that read a
    /// snapshot uses them to make sure that nothing relevant has changed since.
    public struct Expectation: Sendable, Hashable {
        /// The expected ``StorageSnapshot/clustersRevision()``; `nil` for no condition.
        public var clusters: Revision?
        /// The expected revisions of entries; `.zero` expects that the store does not contain the entry.
        public var entries: [Entry.ID: Revision]
        /// The expected epoch; `nil` for no condition.
        public var epoch: UUID?
        /// The expected latest revision, which allows no other commit in between; `nil` for no condition.
        public var revision: Revision?

        /// Creates an expectation; without arguments, one that is always true.
        public init(
            clusters: Revision? = nil, entries: [Entry.ID: Revision] = [:], epoch: UUID? = nil,
            revision: Revision? = nil
        ) {
            self.clusters = clusters
            self.entries = entries
            self.epoch = epoch
            self.revision = revision
        }

        /// Whether there is no condition.
        public var isEmpty: Bool {
            clusters == nil && entries.isEmpty && epoch == nil && revision == nil
        }
    }

    /// A complete clustering, which replaces the previous clusters, run and assignments.
    public struct Clustering: Sendable, Hashable, Codable {
        /// The run that made the clusters; `nil` if no run did, as after an import.
        public var run: ClusteringRun?
        /// The clusters. Their `members` are ignored; `assignments` defines the members.
        public var clusters: [Cluster]
        /// The assignments. Those of entries that the store does not contain are skipped.
        public var assignments: [Assignment]

        /// Creates a clustering.
        public init(run: ClusteringRun?, clusters: [Cluster], assignments: [Assignment]) {
            self.run = run
            self.clusters = clusters
            self.assignments = assignments
        }
    }

    /// Entries to insert, or to replace the entries with the same ids.
    public var upserts: [Entry]
    /// Entries to remove together with their assignments. Ids that the store does not contain are skipped.
    public var removals: [Entry.ID]
    /// Source records to insert or replace.
    public var sources: [Source]
    /// Source records to remove. Their entries stay, unless `removals` names them.
    public var removedSources: [Source.ID]
    /// A complete clustering that replaces the previous one; applied before `clusters` and `assignments`.
    public var clustering: Clustering?
    /// Single clusters to insert or replace. Their `members` are ignored.
    public var clusters: [Cluster]
    /// Single assignments to insert or replace.
    public var assignments: [Assignment]
    /// Entries whose assignments to remove.
    public var unassignments: [Entry.ID]
    /// The name of a new history that begins with this commit, as with ``StorageProvider/renewEpoch()``.
    /// The name of the present history changes nothing.
    public var newEpoch: UUID?
    /// The conditions on the store under which the batch may be committed.
    public var expecting: Expectation

    /// Creates a batch; without arguments, one that changes nothing.
    public init(
        upserts: [Entry] = [], removals: [Entry.ID] = [], sources: [Source] = [],
        removedSources: [Source.ID] = [], clustering: Clustering? = nil, clusters: [Cluster] = [],
        assignments: [Assignment] = [], unassignments: [Entry.ID] = [], newEpoch: UUID? = nil,
        expecting: Expectation = Expectation()
    ) {
        self.upserts = upserts
        self.removals = removals
        self.sources = sources
        self.removedSources = removedSources
        self.clustering = clustering
        self.clusters = clusters
        self.assignments = assignments
        self.unassignments = unassignments
        self.newEpoch = newEpoch
        self.expecting = expecting
    }

    /// Whether the batch makes no changes, whatever it expects.
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

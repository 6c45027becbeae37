public import Foundation

/// Everything that one commit writes, all or nothing.
///
/// Removals take effect before upserts. What is equal to what the store has already makes no change.
public struct WriteBatch: Sendable, Hashable {
    /// What the writer saw; a commit that finds otherwise throws `.conflict` and writes nothing.
    public struct Expectation: Sendable, Hashable {
        /// The revision at which clusters, run or assignments by a run last changed (`clustersRevision`).
        public var clusters: Revision?
        /// The revision of each of these entries; `.zero` expects that there is none.
        public var entries: [Entry.ID: Revision]
        /// The history that the writer read from.
        public var epoch: UUID?
        /// The store's latest commit: nothing at all has been written since.
        public var revision: Revision?

        public init(
            clusters: Revision? = nil, entries: [Entry.ID: Revision] = [:], epoch: UUID? = nil,
            revision: Revision? = nil
        ) {
            self.clusters = clusters
            self.entries = entries
            self.epoch = epoch
            self.revision = revision
        }

        public var isEmpty: Bool {
            clusters == nil && entries.isEmpty && epoch == nil && revision == nil
        }
    }

    /// A new clustering in place of the whole last one: its clusters, its run and every assignment go.
    public struct Clustering: Sendable, Hashable, Codable {
        /// `nil` where no run made the clusters (an import).
        public var run: ClusteringRun?
        /// `members` is not read; `assignments` says who belongs where.
        public var clusters: [Cluster]
        /// Those of entries that the store does not have (any more) are left out.
        public var assignments: [Assignment]

        public init(run: ClusteringRun?, clusters: [Cluster], assignments: [Assignment]) {
            self.run = run
            self.clusters = clusters
            self.assignments = assignments
        }
    }

    /// Entries to insert, or to put in the place of those of the same id.
    public var upserts: [Entry]
    /// Entries to remove, with their assignments; one that is not there is no error.
    public var removals: [Entry.ID]
    /// Source records to insert or replace.
    public var sources: [Source]
    /// Source records to remove; their entries stay unless they are removed too.
    public var removedSources: [Source.ID]
    /// Replaces the whole clustering; applied before `clusters` and `assignments`.
    public var clustering: Clustering?
    /// Clusters to insert or replace one by one; `members` is not read.
    public var clusters: [Cluster]
    /// Assignments to insert or replace one by one.
    public var assignments: [Assignment]
    /// Entries whose assignment is to be taken away.
    public var unassignments: [Entry.ID]
    /// The name of a new history that begins with this commit, as with
    /// ``StorageProvider/renewEpoch()``; the present one's changes nothing.
    public var newEpoch: UUID?
    public var expecting: Expectation

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

    /// Whether there is nothing to write.
    public var isEmpty: Bool {
        upserts.isEmpty && removals.isEmpty && sources.isEmpty && removedSources.isEmpty && clustering == nil
            && clusters.isEmpty && assignments.isEmpty && unassignments.isEmpty && newEpoch == nil
    }
}

extension WriteBatch {
    /// Whether the batch takes away and writes nothing new.
    package var isRemoving: Bool {
        !(removals.isEmpty && unassignments.isEmpty) && upserts.isEmpty && clustering == nil
            && clusters.isEmpty && assignments.isEmpty
    }

    /// Refuses what no store may keep. Every provider calls it before its commit point.
    ///
    /// - Throws: `StorageError` with code `.invalidBatch`: something named twice, or assigned and unassigned
    ///   at once; numbers that are not finite; dates outside the years 1 to 9999; vectors of different
    ///   dimensions within an entry; a passage outside its entry's content; metadata or parameters nested too
    ///   deeply.
    public func validate() throws {
        // Of two with one id it would be chance which one stands after the batch is committed again.
        try Self.checkUnique(upserts.map(\.id), "entry")
        try Self.checkUnique(sources.map { Array($0.id.utf8) }, "a source")
        try Self.checkUnique(clusters.map(\.id), "cluster")
        try Self.checkUnique(assignments.map(\.entry) + unassignments, "the assignment of entry")
        try Self.checkUnique(clustering?.clusters.map(\.id) ?? [], "cluster")
        try Self.checkUnique(clustering?.assignments.map(\.entry) ?? [], "the assignment of entry")
        for entry in upserts { try entry.validate() }
        let dates = sources.map(\.ingestedAt) + [clustering?.run?.createdAt].compactMap(\.self)
        guard dates.allSatisfy(\.isWritable) else {
            throw StorageError.invalid("a source or a run has a date outside the years 1 to 9999")
        }
        if let parameters = clustering?.run?.parameters {
            guard parameters.values.allSatisfy({ $0.isFinite && !$0.isNested(deeperThan: 16) }) else {
                throw StorageError.invalid("the run has a parameter that is not finite or nested too deeply")
            }
        }
        if let run = clustering?.run, ![run.silhouette, run.stability].allSatisfy({ $0?.isFinite ?? true }) {
            throw StorageError.invalid("the run has a figure that is not finite")
        }
        for cluster in clusters + (clustering?.clusters ?? []) {
            guard cluster.createdAt.isWritable, cluster.updatedAt.isWritable else {
                throw StorageError.invalid(
                    "cluster \(cluster.id.text) has a date outside the years 1 to 9999")
            }
            let figures = [cluster.cohesion, cluster.separation, cluster.silhouette, cluster.reach]
            guard cluster.centroid.allSatisfy(\.isFinite), figures.allSatisfy({ $0?.isFinite ?? true }) else {
                throw StorageError.invalid("cluster \(cluster.id.text) has a number that is not finite")
            }
        }
        for assignment in assignments + (clustering?.assignments ?? [])
        where !assignment.similarity.isFinite || !assignment.confidence.isFinite {
            throw StorageError.invalid(
                "the assignment of entry \(assignment.entry.text) has a number that is not finite")
        }
    }
}

extension WriteBatch.Expectation {
    /// - Throws: `StorageError` with `.conflict` where the store has another history or a later revision.
    package func check(epoch found: UUID, revision latest: Revision) throws {
        if let epoch, epoch != found {
            throw StorageError.conflict(
                "the store has begun a new history (by a repair, a restore or a move to another model) since "
                    + "the writer read from it")
        }
        if let revision, revision != latest {
            throw StorageError.conflict("the store is at revision \(latest); the writer had seen \(revision)")
        }
    }
}

extension WriteBatch {
    private static func checkUnique<ID: Hashable>(_ ids: [ID], _ what: String) throws {
        var seen = Set<ID>(minimumCapacity: ids.count)
        for id in ids where !seen.insert(id).inserted {
            let name = (id as? UUID).map { " \($0.text)" } ?? ""
            throw StorageError.invalid("the batch has \(what)\(name) twice")
        }
    }
}

extension Entry {
    fileprivate func validate() throws {
        guard createdAt.isWritable, updatedAt.isWritable else {
            throw StorageError.invalid("entry \(id.text) has a date outside the years 1 to 9999")
        }
        guard embeddings.allFinite else {
            throw StorageError.invalid("the embeddings of entry \(id.text) have a number that is not finite")
        }
        let size = content.utf8.count
        for (ordinal, passage) in passages.enumerated() {
            guard passage.ordinal == ordinal else {
                throw StorageError.invalid(
                    "passage \(ordinal) of entry \(id.text) says that it is \(passage.ordinal)")
            }
            guard passage.vector.count == embeddings.count else {
                throw StorageError.invalid(
                    "passage \(ordinal) of entry \(id.text) has \(passage.vector.count) numbers, "
                        + "the entry \(embeddings.count)")
            }
            guard passage.vector.allFinite else {
                throw StorageError.invalid(
                    "passage \(ordinal) of entry \(id.text) has a number that is not finite")
            }
            guard passage.utf8Range.lowerBound >= 0, passage.utf8Range.upperBound <= size else {
                throw StorageError.invalid(
                    "passage \(ordinal) of entry \(id.text) reaches outside the content")
            }
        }
        for (key, value) in metadata {
            guard value.isFinite else {
                throw StorageError.invalid("a value of entry \(id.text)'s metadata is not finite")
            }
            guard !value.isNested(deeperThan: MetadataValue.maximumDepth), key.utf8.count <= 4096 else {
                throw StorageError.invalid(
                    "the metadata of entry \(id.text) is nested too deeply or has a key too long")
            }
        }
    }
}

extension [Float] {
    /// Whether all numbers are finite: a sum over `x * 0` is NaN as soon as one is not.
    var allFinite: Bool {
        var sum: Float = 0
        for value in self { sum += value * 0 }
        return sum == 0
    }
}

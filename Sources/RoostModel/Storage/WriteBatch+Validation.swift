public import Foundation

extension WriteBatch {
    /// The maximum nesting depth of a run's parameters. Parameters are simple settings, or lists or objects
    /// of settings, so they never need more.
    private static let maximumParameterDepth = 16

    /// Checks the batch for data that every store must reject. Every provider calls this method before the
    /// commit point.
    ///
    /// - Throws: ``StorageError`` with `.invalidBatch` if an id occurs twice, if an entry is both assigned
    ///   and unassigned, if a number is not finite, if a date is outside the years 1 to 9999, if the
    ///   vectors of an entry differ in dimension or have more than ``EmbeddingSpace/maximumDimension``
    ///   elements, if the ordinal of a passage is not its index, if a passage is outside the content of its
    ///   entry, if metadata has a key longer than 4096 bytes, if metadata or parameters are nested too
    ///   deeply, if a line or page of a location is less than 1 or more than 2^31 - 1, if a location has a
    ///   last line that is before its first line or has no first line, if the structure of an entry has ranges
    ///   that are not in order or not within its text, or if a count of a cluster or run is
    ///   negative or at least 2^32.
    /// - Complexity: O(n), where n is the size of the batch.
    public func validate() throws {
        try checkUniqueness()
        for entry in upserts { try entry.validate() }
        guard sources.allSatisfy(\.ingestedAt.isWritable) else {
            throw StorageError.invalid("invalid batch: a source has a date outside the years 1 to 9999")
        }
        if let run = clustering?.run { try Self.validate(run) }
        for cluster in clusters + (clustering?.clusters ?? []) { try Self.validate(cluster) }
        for assignment in assignments + (clustering?.assignments ?? [])
        where !assignment.similarity.isFinite || !assignment.confidence.isFinite {
            throw StorageError.invalid(
                "invalid batch: the assignment of entry \(assignment.entry.text) has a number that is not "
                    + "finite")
        }
    }

    /// Checks that no id occurs twice. If two objects had the same id, committing the batch a second time
    /// could change the result, although commits must be idempotent.
    private func checkUniqueness() throws {
        try Self.checkUnique(upserts.map(\.id), "entry")
        try Self.checkUnique(sources.map { ExactText($0.id) }, "a source")
        try Self.checkUnique(clusters.map(\.id), "cluster")
        try Self.checkUnique(assignments.map(\.entry) + unassignments, "the assignment of entry")
        try Self.checkUnique(clustering?.clusters.map(\.id) ?? [], "cluster")
        try Self.checkUnique(clustering?.assignments.map(\.entry) ?? [], "the assignment of entry")
    }

    private static func checkUnique<ID: Hashable>(_ ids: [ID], _ kind: String) throws {
        var seen = Set<ID>(minimumCapacity: ids.count)
        for id in ids where !seen.insert(id).inserted {
            let name = (id as? UUID).map { " \($0.text)" } ?? ""
            throw StorageError.invalid("invalid batch: it contains \(kind)\(name) twice")
        }
    }

    private static func validate(_ run: ClusteringRun) throws {
        guard run.createdAt.isWritable else {
            throw StorageError.invalid("invalid batch: the run has a date outside the years 1 to 9999")
        }
        // The depth is checked first, because the other check is recursive without a limit.
        let parameters = run.parameters.values
        guard parameters.allSatisfy({ !$0.isNested(deeperThan: maximumParameterDepth) && $0.isFinite }) else {
            throw StorageError.invalid(
                "invalid batch: the run has a parameter that is not finite or nested too deeply")
        }
        guard [run.silhouette, run.stability].allSatisfy({ $0?.isFinite ?? true }) else {
            throw StorageError.invalid("invalid batch: the run has a number that is not finite")
        }
        let counts = [run.stamp.entryCount, run.stamp.clusterCount] + run.vanished.flatMap(\.counts)
        guard counts.allSatisfy(\.isStorableCount) else {
            throw StorageError.invalid("invalid batch: the run has a count that is out of range")
        }
    }

    private static func validate(_ cluster: Cluster) throws {
        guard cluster.createdAt.isWritable, cluster.updatedAt.isWritable else {
            throw StorageError.invalid(
                "invalid batch: cluster \(cluster.id.text) has a date outside the years 1 to 9999")
        }
        let figures = [
            cluster.cohesion, cluster.separation, cluster.silhouette, cluster.stability,
            cluster.assignmentThreshold,
        ]
        guard cluster.centroid.allSatisfy(\.isFinite), figures.allSatisfy({ $0?.isFinite ?? true }) else {
            throw StorageError.invalid(
                "invalid batch: cluster \(cluster.id.text) has a number that is not finite")
        }
        let counts = [cluster.labelPin?.size ?? 0] + cluster.origins.flatMap(\.counts)
        guard counts.allSatisfy(\.isStorableCount) else {
            throw StorageError.invalid(
                "invalid batch: cluster \(cluster.id.text) has a count that is out of range")
        }
    }
}

extension Cluster.Origin {
    fileprivate var counts: [Int] { [size, remaining, shared] }
}

extension [String: MetadataValue] {
    /// The maximum length of a metadata key in UTF-8 bytes.
    private static let maximumKeyLength = 4096

    /// The reason why stores reject this metadata, as a noun phrase such as `a key longer than 4096 bytes`;
    /// `nil` if stores accept it.
    package var defect: String? {
        for (key, value) in self {
            // The depth is checked first, because the other check is recursive without a limit.
            if value.isNested(deeperThan: MetadataValue.maximumDepth) {
                return "a value that is nested deeper than \(MetadataValue.maximumDepth) levels"
            }
            if !value.isFinite { return "a number that is not finite" }
            if key.utf8.count > Self.maximumKeyLength {
                return "a key longer than \(Self.maximumKeyLength) bytes"
            }
        }
        return nil
    }
}

extension Entry {
    fileprivate func validate() throws {
        let name = "entry \(id.text)"
        guard createdAt.isWritable, updatedAt.isWritable else {
            throw StorageError.invalid("invalid batch: \(name) has a date outside the years 1 to 9999")
        }
        guard embeddings.allFinite else {
            throw StorageError.invalid(
                "invalid batch: the embedding of \(name) has a number that is not finite")
        }
        guard embeddings.count <= EmbeddingSpace.maximumDimension else {
            throw StorageError.invalid(
                "invalid batch: the embedding of \(name) has more than \(EmbeddingSpace.maximumDimension) "
                    + "elements")
        }
        guard location?.isValid != false else {
            throw StorageError.invalid(
                "invalid batch: the location of \(name) has a number that is out of range")
        }
        guard structure?.isValid(forLength: content.utf8.count) != false else {
            throw StorageError.invalid("invalid batch: the structure of \(name) is not that of its text")
        }
        try validatePassages()
        if let defect = metadata.defect {
            throw StorageError.invalid("invalid batch: the metadata of \(name) has \(defect)")
        }
    }

    private func validatePassages() throws {
        let size = content.utf8.count
        for (ordinal, passage) in passages.enumerated() {
            let name = "passage \(ordinal) of entry \(id.text)"
            guard passage.ordinal == ordinal else {
                throw StorageError.invalid("invalid batch: \(name) has the ordinal \(passage.ordinal)")
            }
            guard passage.vector.count == embeddings.count else {
                throw StorageError.invalid(
                    "invalid batch: \(name) has a vector of dimension \(passage.vector.count), and the "
                        + "entry one of dimension \(embeddings.count)")
            }
            guard passage.vector.allFinite else {
                throw StorageError.invalid("invalid batch: \(name) has a number that is not finite")
            }
            guard passage.utf8Range.lowerBound >= 0, passage.utf8Range.upperBound <= size else {
                throw StorageError.invalid("invalid batch: \(name) is outside the content of the entry")
            }
        }
    }
}

extension [Float] {
    /// Whether all elements are finite. The elements are multiplied by zero and summed, without branches: the
    /// sum is NaN if any element is infinite or NaN.
    var allFinite: Bool {
        var sum: Float = 0
        for value in self { sum += value * 0 }
        return sum == 0
    }
}

extension WriteBatch.Expectation {
    /// Compares the expected state with that of the store. A storage provider calls it with the state that
    /// the batch would change, for example within the transaction of the commit.
    ///
    /// - Parameters:
    ///   - found: The current epoch of the store.
    ///   - latest: The current revision of the store.
    ///   - clustersRevision: The current value of ``StorageSnapshot/clustersRevision()``.
    ///   - revisionOfEntry: Returns the revision of the last change of an entry; `nil` if the store does not
    ///     contain it. It is called for the entries of ``entries``.
    /// - Throws: ``StorageError`` with `.conflict` if the states differ; the errors of `revisionOfEntry`.
    public func check(
        epoch found: UUID, revision latest: Revision, clustersRevision: Revision,
        _ revisionOfEntry: (Entry.ID) throws -> Revision?
    ) throws {
        if let epoch, epoch != found {
            throw StorageError.conflict(
                "cannot commit the batch: the store began a new epoch (by a repair, a restore or a change of "
                    + "the embedding model) after the writer read it")
        }
        if let revision, revision != latest {
            throw StorageError.conflict(
                "cannot commit the batch: the store is at revision \(latest), not at revision \(revision), "
                    + "which the writer read")
        }
        if let clusters, clusters != clustersRevision {
            throw StorageError.conflict(
                "cannot commit the batch: the clusters changed at revision \(clustersRevision), after "
                    + "revision \(clusters), which the writer read")
        }
        for (id, expected) in entries {
            let found = try revisionOfEntry(id) ?? .zero
            guard found == expected else {
                throw StorageError.conflict(
                    "cannot commit the batch: entry \(id) is at revision \(found), not at revision "
                        + "\(expected), which the writer read")
            }
        }
    }
}

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
        try Self.require(sources.allSatisfy(\.ingestedAt.isWritable), "a source", Self.dateFault)
        if let run = clustering?.run { try Self.validate(run) }
        for cluster in clusters + (clustering?.clusters ?? []) { try Self.validate(cluster) }
        for assignment in assignments + (clustering?.assignments ?? []) {
            try Self.require(
                assignment.similarity.isFinite && assignment.confidence.isFinite,
                "the assignment of entry \(assignment.entry.text)", Self.numberFault)
        }
    }

    fileprivate static let dateFault = "has a date outside the years 1 to 9999"
    fileprivate static let numberFault = "has a number that is not finite"
    private static let countFault = "has a count that is out of range"

    /// Throws the error that a part of the batch has a fault unless a condition is true.
    fileprivate static func require(
        _ condition: Bool, _ subject: @autoclosure () -> String, _ fault: @autoclosure () -> String
    ) throws {
        guard condition else { throw StorageError.invalid("invalid batch: \(subject()) \(fault())") }
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
        try require(run.createdAt.isWritable, "the run", dateFault)
        // The depth is checked first, because the other check is recursive without a limit.
        try require(
            run.parameters.values.allSatisfy {
                !$0.isNested(deeperThan: maximumParameterDepth) && $0.isFinite
            },
            "the run", "has a parameter that is not finite or nested too deeply")
        try require(
            [run.silhouette, run.stability].allSatisfy { $0?.isFinite ?? true }, "the run", numberFault)
        let counts = [run.stamp.entryCount, run.stamp.clusterCount] + run.vanished.flatMap(\.counts)
        try require(counts.allSatisfy(\.isStorableCount), "the run", countFault)
    }

    private static func validate(_ cluster: Cluster) throws {
        let name = "cluster \(cluster.id.text)"
        try require(cluster.createdAt.isWritable && cluster.updatedAt.isWritable, name, dateFault)
        let figures = [
            cluster.cohesion, cluster.separation, cluster.silhouette, cluster.stability,
            cluster.assignmentThreshold,
        ]
        try require(
            cluster.centroid.allFinite && figures.allSatisfy { $0?.isFinite ?? true }, name, numberFault)
        let counts = [cluster.labelPin?.size ?? 0] + cluster.origins.flatMap(\.counts)
        try require(counts.allSatisfy(\.isStorableCount), name, countFault)
    }
}

extension Cluster.Origin {
    fileprivate var counts: [Int] { [size, remaining, shared] }
}

extension [String: MetadataValue] {
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
        try WriteBatch.require(createdAt.isWritable && updatedAt.isWritable, name, WriteBatch.dateFault)
        try WriteBatch.require(embeddings.allFinite, "the embedding of \(name)", WriteBatch.numberFault)
        try WriteBatch.require(
            embeddings.count <= EmbeddingSpace.maximumDimension, "the embedding of \(name)",
            "has more than \(EmbeddingSpace.maximumDimension) elements")
        try WriteBatch.require(
            location?.isValid != false, "the location of \(name)", "has a number that is out of range")
        try WriteBatch.require(
            structure?.isValid(forLength: content.utf8.count) != false, "the structure of \(name)",
            "is not that of its text")
        try validatePassages()
        if let defect = metadata.defect {
            throw StorageError.invalid("invalid batch: the metadata of \(name) has \(defect)")
        }
    }

    private func validatePassages() throws {
        let size = content.utf8.count
        for (ordinal, passage) in passages.enumerated() {
            func require(_ condition: Bool, _ fault: @autoclosure () -> String) throws {
                try WriteBatch.require(condition, "passage \(ordinal) of entry \(id.text)", fault())
            }
            try require(passage.ordinal == ordinal, "has the ordinal \(passage.ordinal)")
            try require(
                passage.vector.count == embeddings.count,
                "has a vector of dimension \(passage.vector.count), and the entry one of dimension "
                    + "\(embeddings.count)")
            try require(passage.vector.allFinite, WriteBatch.numberFault)
            try require(
                passage.utf8Range.lowerBound >= 0 && passage.utf8Range.upperBound <= size,
                "is outside the content of the entry")
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
        func conflict(_ fault: String) -> StorageError {
            StorageError(.conflict, "cannot commit the batch: \(fault)")
        }
        if let epoch, epoch != found {
            throw conflict(
                "the store began a new epoch (by a repair, a restore or a change of the embedding model) "
                    + "after the writer read it")
        }
        if let revision, revision != latest {
            throw conflict(
                "the store is at revision \(latest), not at revision \(revision), which the writer read")
        }
        if let clusters, clusters != clustersRevision {
            throw conflict(
                "the clusters changed at revision \(clustersRevision), after revision \(clusters), which the "
                    + "writer read")
        }
        for (id, expected) in entries {
            let found = try revisionOfEntry(id) ?? .zero
            guard found == expected else {
                throw conflict(
                    "entry \(id) is at revision \(found), not at revision \(expected), which the writer read")
            }
        }
    }
}

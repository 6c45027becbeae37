import RoostClustering
package import RoostModel
import RoostVectors

/// Assigns new and changed entries to clusters, in the batches that write these entries.
///
/// It reads the clusters once and keeps them until another writer changes them. Like the run that
/// created the clusters, it ignores the boilerplate lines of that run in the texts of the entries.
package struct BatchPlacement {
    private let embedder: EntryEmbedder
    private let catalog: BoilerplateCatalog
    private var boilerplate = BoilerplateLines([])
    /// The vectors of texts without boilerplate lines, by the digests of these texts. They are kept because a
    /// batch is assigned again if its commit fails due to a conflict.
    private var vectors: [ContentDigest: [Float]] = [:]
    private var placement: ClusterPlacement?
    /// The latest revision of the clusters for which ``placement`` is known to be valid: the revision from
    /// which it was read, or a later one that changed only assignments.
    private var revision: Revision?
    /// The revision of the last commit in which this value's owner changed assignments. Such a commit changes
    /// the revision of the clusters, but not the clusters themselves.
    private var ownRevision: Revision?

    package init(of store: KnowledgeStore) {
        (embedder, catalog) = (store.entryEmbedder, store.boilerplate)
    }

    /// Adds the necessary assignment changes to a batch. A batch that assigns entries also gets the revision
    /// of the clusters that it expects.
    package mutating func assign(
        _ changedTexts: Set<Entry.ID>, in batch: inout WriteBatch, _ snapshot: any StorageSnapshot
    ) async throws {
        (batch.assignments, batch.unassignments) = ([], [])
        batch.expecting.clusters = nil
        guard snapshot.stamp.clusterCount > 0, !batch.upserts.isEmpty else { return }
        let current = try await snapshot.clustersRevision()
        if revision != current {
            if ownRevision != current {
                placement = ClusterPlacement(
                    try await snapshot.clusterRecords(), run: try await snapshot.clusteringRun())
                boilerplate = BoilerplateLines(Set(catalog.lines()))
            }
            revision = current
        }
        guard let placement, !placement.isEmpty else { return }
        let stored = batch.upserts.map(\.id).filter { batch.expecting.entries[$0] != .zero }
        let assignments = placement.conditions.isEmpty ? [] : try await snapshot.assignments(of: stored)
        let outcome = placement.outcome(
            for: try await withoutBoilerplate(batch.upserts), changedTexts: changedTexts,
            stored: Set(stored), current: assignments)
        (batch.assignments, batch.unassignments) = (outcome.assignments, outcome.unassignments)
        if !batch.assignments.isEmpty { batch.expecting.clusters = current }
    }

    /// Returns entries with the vectors of their texts without boilerplate lines. An entry keeps its own
    /// vector if its text has no such lines, or if the embedder is unavailable: an archive can be imported
    /// without the embedder.
    private mutating func withoutBoilerplate(_ entries: [Entry]) async throws -> [Entry] {
        guard !boilerplate.lines.isEmpty else { return entries }
        let texts = entries.map { $0.embeddings.isEmpty ? nil : boilerplate.removing(from: $0.visibleText) }
        let digests = texts.map { $0.map { ContentDigest(of: $0) } }
        let wanted = Set(digests.compactMap(\.self))
        vectors = vectors.filter { wanted.contains($0.key) }
        var missing: [ContentDigest: Entry] = [:]
        for (index, entry) in entries.enumerated() {
            guard let digest = digests[index], let text = texts[index] else { continue }
            if vectors[digest] == nil { missing[digest] = entry.withText(text) }
        }
        do {
            vectors.merge(try await embedder.vectors(of: missing)) { first, _ in first }
        } catch let error as CancellationError {
            throw error
        } catch {
            return entries
        }
        return zip(entries, digests).map { entry, digest in
            var entry = entry
            if let vector = digest.flatMap({ vectors[$0] }) { entry.embeddings = vector }
            return entry
        }
    }

    /// Records the commit of a batch to which ``assign(_:in:_:)`` has added assignments.
    package mutating func committed(_ batch: WriteBatch, at revision: Revision) {
        if !batch.assignments.isEmpty || !batch.unassignments.isEmpty { ownRevision = revision }
    }
}

/// The clusters of one revision, to which entries that are added or changed afterwards are assigned.
struct ClusterPlacement: Sendable {
    struct Outcome: Sendable, Equatable {
        var assignments: [Assignment] = []
        var unassignments: [Entry.ID] = []
    }

    private let placer: ClusterPlacer?
    /// The conditions that an entry must meet to be in a cluster.
    let conditions: [EntryCondition]

    init(_ clusters: [Cluster], run: ClusteringRun?) {
        let conditions = run.map(\.conditions) ?? []
        self.conditions = conditions ?? []
        // If the conditions of the run cannot be decoded, no entry is assigned until the next run.
        placer = conditions == nil ? nil : ClusterPlacer(clusters)
    }

    var isEmpty: Bool { placer?.isEmpty ?? true }

    /// Returns the assignment changes that a batch of entries requires.
    ///
    /// An entry whose text is new, or which now meets the conditions, joins the nearest cluster if it is near
    /// enough; otherwise, it loses its assignment. An entry that no longer meets the conditions loses its
    /// assignment as well.
    func outcome(
        for entries: [Entry], changedTexts: Set<Entry.ID>, stored: Set<Entry.ID>, current: [Assignment]
    ) -> Outcome {
        guard let placer, !placer.isEmpty else { return Outcome() }
        var outcome = Outcome()
        var moved = changedTexts
        // A change of metadata can change whether an entry meets the conditions.
        if !conditions.isEmpty {
            let matching = Set(entries.filter { stored.contains($0.id) && matches($0) }.map(\.id))
            moved.formUnion(matching.subtracting(current.filter { $0.cluster != nil }.map(\.entry)))
            outcome.unassignments = current.map(\.entry).filter { !matching.contains($0) }
        }
        let candidates = entries.filter { entry in
            moved.contains(entry.id) && entry.embeddings.count == placer.dimension && matches(entry)
        }
        guard !candidates.isEmpty else { return outcome }
        let vectors = Matrix(candidates.map(\.embeddings), columns: placer.dimension)
        for (entry, match) in zip(candidates, placer.matches(for: vectors)) {
            if let match {
                outcome.assignments.append(
                    Assignment(
                        entry: entry.id, target: .cluster(match.cluster), similarity: match.similarity,
                        confidence: match.confidence))
            } else if stored.contains(entry.id) {
                outcome.unassignments.append(entry.id)
            }
        }
        return outcome
    }

    private func matches(_ entry: Entry) -> Bool { conditions.allSatisfy { $0.holds(of: entry) } }
}

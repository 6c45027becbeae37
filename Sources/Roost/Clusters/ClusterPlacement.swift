import RoostClustering
import RoostModel
import RoostVectors

/// The clusters of one revision, to which entries that are added or changed afterwards are assigned.
struct ClusterPlacement: Sendable {
    /// The assignment changes that a batch of entries requires.
    struct Outcome: Sendable, Equatable {
        /// The new assignments.
        var assignments: [Assignment] = []
        /// The entries that lose their assignment.
        var unassignments: [Entry.ID] = []
    }

    private let placer: ClusterPlacer?
    /// The conditions that an entry must meet to be in a cluster.
    let conditions: [EntryCondition]

    /// Creates a placement from the clusters and the run that created them.
    init(_ clusters: [Cluster], run: ClusteringRun?) {
        let conditions = run.map(\.conditions) ?? []
        self.conditions = conditions ?? []
        // If the conditions of the run cannot be decoded, no entry is assigned until the next run.
        placer = conditions == nil ? nil : ClusterPlacer(clusters)
    }

    /// Whether no entry can be assigned.
    var isEmpty: Bool { placer?.isEmpty ?? true }

    /// Returns the assignment changes that a batch of entries requires.
    ///
    /// An entry whose text is new, or which now meets the conditions, joins the nearest cluster if it is near
    /// enough; otherwise, it loses its assignment. An entry that no longer meets the conditions loses its
    /// assignment as well.
    ///
    /// - Parameters:
    ///   - entries: The entries that are about to be written.
    ///   - changedTexts: The entries whose texts are new.
    ///   - stored: The entries that the store already contains.
    ///   - current: The assignments of the stored entries. Needed only if there are ``conditions``.
    /// - Complexity: O(entries · clusters · dimension).
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

package import Foundation
package import RoostModel
import RoostText
package import RoostVectors

/// Turns the groups of a partition into clusters with ids, labels, keywords, quality figures and representatives.
package struct ClusterAssembly: Sendable {
    private static let keywordLimit = 10
    private static let representativeLimit = 5

    private var tally: WordTally
    let partition: Partition
    let ids: [Entry.ID]
    let rows: [Entry.ID: Int]
    let quality: ClusterQuality
    /// The rows of each group. A parent group has the rows of all of its descendants.
    let members: [[Int]]
    /// The rows of each group that are nearest to its centroid, nearest first.
    private let nearest: [[Int]]
    /// The rows whose texts are searched for key phrases.
    private let typical: Set<Int>
    /// The rows of the most central entries of each group. Their titles are candidates for the labels of
    /// groups that no word distinguishes.
    private let central: Set<Int>
    private var titles: [Int: String] = [:]
    /// The phrases from which labels are made; `nil` until they are prepared.
    private var phrases: Phrases?
    /// The entries that were not clustered, but assigned to the groups.
    package var placed: [PlacedEntry] = []

    /// Prepares the clusters of a partition.
    ///
    /// - Parameters:
    ///   - partition: The groups.
    ///   - vectors: The clustered vectors, one row for each label of the partition, or for the first ones. Without
    ///     vectors, clusters have no silhouette, and those that contain others no representatives.
    ///   - ids: The entry of each row.
    ///   - stopWords: Words in lower case that do not occur in labels.
    package init(_ partition: Partition, of vectors: Matrix, ids: [Entry.ID], stopWords: Set<String> = []) {
        precondition(
            ids.count == partition.labels.count && vectors.rows <= ids.count, "each label needs one entry")
        (self.partition, self.ids) = (partition, ids)
        rows = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
        tally = WordTally(groups: partition.count, excluded: stopWords)
        quality = ClusterQuality(partition, vectors)
        var members = [[Int]](repeating: [], count: partition.count)
        for (row, label) in partition.labels.enumerated() {
            guard let group = label.group else { continue }
            for group in sequence(first: group, next: { partition.parents[$0] }) {
                members[group].append(row)
            }
        }
        self.members = members
        let limit = WordTally.representativeTextCount(forGroups: partition.count)
        nearest = members.indices.map { group in
            let similarities = members[group].compactMap { row -> (Float, Int)? in
                if partition.labels[row].group == group { return (partition.similarities[row], row) }
                guard row < vectors.rows else { return nil }
                let similarity = vectors.withRow(row) { values in
                    partition.centroids.withRow(group) { innerProduct($0, values) }
                }
                return (similarity, row)
            }
            return similarities.sorted { ($1.0, ids[$0.1]) < ($0.0, ids[$1.1]) }.prefix(limit).map(\.1)
        }
        let parents = Set(partition.parents.compactMap(\.self))
        central = Set(nearest.flatMap { $0.prefix(Self.representativeLimit) })
        typical = Set(
            nearest.indices.lazy.filter { !parents.contains($0) }.flatMap { [nearest] in nearest[$0] })
    }

    /// Counts the words of an entry's text for the keywords of its group. Call it once for each entry, in any order.
    ///
    /// - Parameters:
    ///   - title: The title of the entry; `nil` for the first sentence of the text.
    ///   - folders: The names of the folders that contain the entry. If there is only one group, they are
    ///     ignored, because there are no groups to distinguish it from.
    package mutating func count(
        _ text: String, title: String? = nil, of id: Entry.ID, folders: [String] = []
    ) {
        guard let row = rows[id], let group = partition.labels[row].group else { return }
        tally.add(
            text, title: title, to: group, isRepresentative: typical.contains(row),
            folders: partition.count > 1 ? folders : [])
        if central.contains(row) {
            let words = (title ?? TextTitle.firstSentence(of: text)).map(TextTitle.words) ?? ""
            titles[row] = words.isEmpty ? nil : words
        }
    }

    /// The total number of phrases from which labels are chosen by their meaning. It limits the time for
    /// embedding them.
    private static let phraseBudget = 2000
    /// The minimum and maximum number of phrases per group whose meaning is compared.
    private static let phraseCounts = 16...100

    /// Prepares the labels after the words of all entries have been counted.
    ///
    /// - Returns: The phrases from which labels are made, in ascending order. Embed them and pass the vectors
    ///   to ``useMeanings(of:)``; otherwise, labels are chosen by the frequencies of words alone.
    package mutating func preparePhrases() -> [String] {
        let prepared = Phrases(tally, partition)
        phrases = prepared
        return Set(prepared.phrases.joined().map(\.text)).sorted()
    }

    /// Uses the embeddings of phrases to choose the labels.
    ///
    /// - Parameter vectors: The vector of each phrase that ``preparePhrases()`` has returned, unit length.
    package mutating func useMeanings(of vectors: [String: [Float]]) {
        guard var prepared = phrases else { return }
        prepared.meanings = PhraseMeanings(prepared.phrases, vectors, partition).values
        phrases = prepared
    }

    private struct Phrases: Sendable {
        var vocabularies: GroupVocabularies
        var phrases: [[LabelPhrase]]
        var meanings: [[PhraseMeaning]] = []

        init(_ tally: WordTally, _ partition: Partition) {
            vocabularies = tally.vocabularies(parents: partition.parents)
            let limit = min(
                max(phraseBudget / max(1, partition.count), phraseCounts.lowerBound),
                phraseCounts.upperBound)
            phrases = vocabularies.labelPhrases(limit: limit)
        }
    }

    /// Returns the clusters, largest first, and the assignment of every entry. A cluster that continues one
    /// of `previous` keeps its id, its creation date and a label that a person or a labeler gave it.
    ///
    /// - Parameters:
    ///   - run: The record of the run. The returned copy also has the quality figures and the previous
    ///     clusters that vanished.
    ///   - previous: The clusters of the previous run.
    ///   - overlap: The numbers of entries that they share with the groups.
    ///   - identities: The previous cluster that each group continues; if it is `nil`, groups are matched
    ///     with previous clusters by their members.
    ///   - unchanged: The previous clusters that keep their labels in any case, because they have not changed.
    ///   - date: The creation and update date of the clusters if there is no run.
    package func finish(
        run: ClusteringRun?, previous: [Cluster], _ overlap: ClusterOverlap,
        identities: [Cluster?]? = nil, unchanged: Set<Cluster.ID> = [], date: Date = Date()
    ) -> WriteBatch.Clustering {
        let (sizes, memberIDs) = (overlap.groupSizes, leafMembers)
        let continued = identities ?? ClusterIdentity.match(overlap, to: previous)
        let clusterIDs = continued.map { $0?.id ?? UUID() }
        let prepared = phrases ?? Phrases(tally, partition)
        let keywords = prepared.phrases.map { $0.prefix(Self.keywordLimit).map(\.text) }
        let trace = trace(clusterIDs, overlap, from: previous)
        let kinships = members.indices.map { group in
            Kinship(old: continued[group], origins: trace.origins[group], size: sizes[group])
        }
        let contexts = members.indices.map { group in
            var context = labelContext(of: group, kinships[group], unchanged)
            if !prepared.meanings.isEmpty { context.meanings = prepared.meanings[group] }
            return context
        }
        let labels = prepared.vocabularies.labels(from: prepared.phrases, contexts)
        var clusters = members.indices.map { group in
            var cluster = Cluster(
                id: clusterIDs[group],
                label: labels[group], keywords: keywords[group],
                centroid: partition.centroids.row(group),
                // A parent cluster stores no members of its own; its members are those of its descendants.
                members: memberIDs[group],
                representatives: nearest[group].prefix(Self.representativeLimit).map { ids[$0] },
                cohesion: quality.cohesions[group], parent: partition.parents[group].map { clusterIDs[$0] },
                createdAt: continued[group]?.createdAt ?? run?.createdAt ?? date,
                updatedAt: run?.createdAt ?? date)
            if let old = continued[group], kinships[group].keepsLabel {
                cluster.label = old.label
                (cluster.isLabelPinned, cluster.labeledBy) = (old.isLabelPinned, old.labeledBy)
                cluster.labelPin = old.labelPin
            }
            cluster.separation = quality.separations[group]
            cluster.silhouette = quality.silhouettes[group]
            cluster.stability =
                partition.stabilities.indices.contains(group) ? partition.stabilities[group] : nil
            cluster.assignmentThreshold = quality.assignmentThresholds[group]
            cluster.origins = trace.origins[group]
            cluster.isTopic = partition.topics.contains(group)
            return cluster
        }
        let sizeOf = Dictionary(zip(clusterIDs, sizes)) { first, _ in first }
        clusters.sort { (sizeOf[$1.id] ?? 0, $0.label) < (sizeOf[$0.id] ?? 0, $1.label) }
        var completedRun = run
        completedRun?.silhouette = quality.silhouette
        completedRun?.stability = trace.stability
        completedRun?.vanished = trace.vanished
        return WriteBatch.Clustering(
            run: completedRun, clusters: clusters, assignments: assignments(to: clusterIDs, by: run?.id))
    }

    private func assignments(to clusterIDs: [Cluster.ID], by run: ClusteringRun.ID?) -> [Assignment] {
        var assignments: [Assignment] = []
        assignments.reserveCapacity(ids.count + placed.count)
        func assign(_ id: Entry.ID, to label: Partition.Label, _ similarity: Float, _ confidence: Float) {
            let outlier = Assignment.Target.outlier(label == .outlier(.zeroVector) ? .zeroVector : .distant)
            let target = label.group.map { .cluster(clusterIDs[$0]) } ?? outlier
            assignments.append(
                Assignment(
                    entry: id, target: target, run: run, similarity: similarity, confidence: confidence))
        }
        for (row, id) in ids.enumerated() {
            assign(id, to: partition.labels[row], partition.similarities[row], partition.confidences[row])
        }
        for entry in placed { assign(entry.id, to: entry.label, entry.similarity, entry.confidence) }
        return assignments
    }

    private struct Kinship {
        var old: Cluster?
        var origins: [Cluster.Origin]
        var size: Int

        /// The number of members that the old and the new cluster share, divided by the size of the larger.
        var share: Double {
            guard let origin = origins.first(where: { $0.cluster == old?.id }) else { return 0 }
            return Double(origin.shared) / Double(max(1, size, origin.size))
        }

        /// Whether the old label is kept. A person's label always is. A labeler's label is kept while the old
        /// and the new cluster share more than half of the members of the larger of the two.
        var keepsLabel: Bool {
            guard let old else { return false }
            return old.isLabelPinned || old.labeledBy != nil && share > 0.5
        }
    }

    private func labelContext(
        of group: Int, _ kinship: Kinship, _ unchanged: Set<Cluster.ID>
    ) -> GroupVocabularies.LabelContext {
        var context = GroupVocabularies.LabelContext(
            titles: nearest[group].prefix(Self.representativeLimit).compactMap { titles[$0] })
        guard let old = kinship.old else { return context }
        if unchanged.contains(old.id) || kinship.keepsLabel {
            context.fixed = old.label
        } else if old.labeledBy == nil, kinship.share >= Self.minimumShareForLabel {
            context.previous = old.label
        }
        return context
    }

    /// The minimum share of common members at which an automatic label may be kept: only a few entries of the
    /// cluster have changed.
    private static let minimumShareForLabel = 0.8

    /// Traces the origins of leaf clusters and of parent clusters separately. A cluster that became a parent, or
    /// is no longer one, still is an origin of itself.
    private func trace(
        _ clusterIDs: [Cluster.ID], _ overlap: ClusterOverlap, from previous: [Cluster]
    ) -> ClusterLineage.Trace {
        var result = ClusterLineage.Trace(origins: Array(repeating: [], count: members.count), vanished: [])
        for (groups, clusters, isParent) in levels(previous, clusterIDs) {
            let found = ClusterLineage.trace(groups, groups.map { clusterIDs[$0] }, overlap, from: clusters)
            for (group, origins) in zip(groups, found.origins) { result.origins[group] = origins }
            // Parent clusters are not counted, because they contain the same entries as the leaf clusters.
            if !isParent { (result.vanished, result.stability) = (found.vanished, found.stability) }
        }
        return result
    }

    private func levels(
        _ previous: [Cluster], _ clusterIDs: [Cluster.ID]
    ) -> [(groups: [Int], clusters: [Cluster], isParent: Bool)] {
        let parents = Set(partition.parents.compactMap(\.self))
        let previousParents = Set(previous.compactMap(\.parent))
        return [false, true].map { isParent in
            let groups = members.indices.filter { parents.contains($0) == isParent }
            let ids = Set(groups.map { clusterIDs[$0] })
            let clusters = previous.filter {
                previousParents.contains($0.id) == isParent || ids.contains($0.id)
            }
            return (groups, clusters, isParent)
        }
    }
}

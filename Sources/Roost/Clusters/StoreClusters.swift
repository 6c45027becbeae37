public import Foundation
import RoostClustering
import RoostFiles
public import RoostModel
import RoostText
import RoostVectors

/// The clusters of a store (``KnowledgeStore/clusters``).
public struct StoreClusters: Sendable {
    let storage: any StorageProvider
    /// The embedder of phrases for labels, and the boilerplate lines of the last run.
    let boilerplate: (embedder: any Embedder, catalog: BoilerplateCatalog)

    /// The maximum length of a label in UTF-8 bytes. A label of this length fits on one line of a list in any
    /// language.
    public static let maximumLabelLength = 200

    /// Returns all clusters with the ids of their members; none before the first run.
    ///
    /// The members of a parent cluster are those of the clusters below it, and it lists none itself.
    ///
    /// - Throws: `StorageError`.
    /// - Complexity: O(clusters + assignments).
    public func all() async throws -> [Cluster] { try await storage.snapshot().clusters() }

    // MARK: Labels

    /// Labels a cluster. Later runs keep the label as long as they keep the cluster.
    ///
    /// - Parameters:
    ///   - id: The cluster.
    ///   - label: The label; `nil` removes a label that a person or a labeler gave and uses keywords instead.
    ///     It does not change a label that a run chose.
    /// - Returns: The cluster without its members.
    /// - Throws: ``RoostError`` with `.notFound`, or `.badInput` for a label that is empty, is longer than
    ///   ``maximumLabelLength`` or has several lines; `StorageError`.
    @discardableResult
    public func label(_ id: Cluster.ID, as label: String?) async throws -> Cluster {
        if let label { try Self.validate(label) }
        return try await storage.commitClusterChange { snapshot in
            var others = try await snapshot.clusterRecords()
            guard let index = others.firstIndex(where: { $0.id == id }) else { throw Self.notFound(id) }
            var cluster = others.remove(at: index)
            // The label that a run chose fits better than one that is made from the keywords alone.
            if label == nil, !cluster.isLabelPinned, cluster.labeledBy == nil {
                return (WriteBatch(), cluster)
            }
            (cluster.isLabelPinned, cluster.labeledBy) = (label != nil, nil)
            cluster.labelPin =
                label == nil ? nil : .init(of: try await snapshot.clusters().membersByCluster()[id] ?? [])
            var used = Set(others.map { GroupVocabularies.key($0.label) })
            var changed: [Cluster] = []
            if let label {
                // A person's label takes precedence over an equal automatic label of another cluster.
                let key = GroupVocabularies.key(label)
                for var other in others where GroupVocabularies.key(other.label) == key {
                    guard !other.isLabelPinned else { throw Self.isUsed(label, by: other) }
                    other.label = Self.unique(label, other.keywords, &used)
                    other.updatedAt = Date()
                    changed.append(other)
                }
                cluster.label = label
            } else {
                let label = try await Self.automaticLabel(of: cluster, snapshot)
                cluster.label = Self.unique(label, cluster.keywords, &used)
            }
            cluster.updatedAt = Date()
            return (WriteBatch(clusters: [cluster] + changed), cluster)
        }
    }

    private static let labelKeywords = 3

    /// Returns a label that consists of the cluster's first keywords or, if there are no keywords, the title
    /// of the most central entry that has one.
    private static func automaticLabel(
        of cluster: Cluster, _ snapshot: any StorageSnapshot
    ) async throws -> String {
        if !cluster.keywords.isEmpty {
            return cluster.keywords.prefix(labelKeywords).joined(separator: ", ")
        }
        let titles = try await snapshot.entries(cluster.representatives)
            .compactMap(\.title)
        return titles.first.map { TextTitle.shortened($0) } ?? GroupVocabularies.wordless
    }

    /// Makes a label different from all used ones, if necessary by adding a keyword or a number, and adds it
    /// to the used ones.
    ///
    /// - Parameter used: The keys of the labels of other clusters (`GroupVocabularies/key(_:)`).
    static func unique(_ label: String, _ keywords: [String], _ used: inout Set<String>) -> String {
        let additions = keywords.lazy.filter { !label.localizedCaseInsensitiveContains($0) }
        let candidates = [label] + additions.map { "\(label) (\($0))" }
        for candidate in candidates where candidate.utf8.count <= maximumLabelLength {
            if used.insert(GroupVocabularies.key(candidate)).inserted { return candidate }
        }
        var number = 2
        while !used.insert(GroupVocabularies.key("\(label) (\(number))")).inserted { number += 1 }
        return "\(label) (\(number))"
    }

    private static func isUsed(_ label: String, by other: Cluster) -> RoostError {
        RoostError(
            .badInput,
            "cannot label the cluster: the label '\(label)' is set for cluster \(other.id.text); choose "
                + "another label, or merge the clusters. Nothing was changed")
    }

    private static func validate(_ label: String) throws {
        guard !label.allSatisfy(\.isWhitespace) else {
            throw RoostError(.badInput, "cannot label the cluster: the label is empty")
        }
        guard label.utf8.count <= maximumLabelLength else {
            throw RoostError(
                .badInput,
                "cannot label the cluster: the label has \(label.utf8.count) bytes, and the maximum is "
                    + "\(maximumLabelLength)")
        }
        guard !label.unicodeScalars.contains(where: isHidden) else {
            throw RoostError(
                .badInput,
                "cannot label the cluster: the label must be one line without control characters and "
                    + "characters that are invisible or change the direction of text")
        }
    }

    /// Returns whether a character ends the line, is invisible, or changes the direction of text. The
    /// joiners U+200C and U+200D are part of emoji and of the spelling of several languages, and the tags
    /// from U+E0020 are part of flags.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // Marks such as U+0600, which precede a number, are visible.
        case .format: scalar.properties.isDefaultIgnorableCodePoint && !isJoiner(scalar)
        default: false
        }
    }

    private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
        [0x200C, 0x200D].contains(scalar.value) || (0xE0020...0xE007F).contains(scalar.value)
    }

    static func notFound(_ id: Cluster.ID) -> RoostError {
        RoostError(.notFound, "the store has no cluster \(id.text); nothing was changed")
    }

    // MARK: Members

    /// Merges clusters into the first of them, which keeps its id, label and parent. Topics of the clusters end.
    /// No other cluster changes.
    ///
    /// - Parameter ids: At least two different clusters.
    /// - Returns: The merged cluster with its members.
    /// - Throws: ``RoostError`` with `.notFound`, or `.badInput` for fewer than two clusters; `StorageError`.
    @discardableResult
    public func merge(_ ids: [Cluster.ID]) async throws -> Cluster {
        guard Set(ids).count == ids.count, let first = ids.first, ids.count > 1 else {
            throw RoostError(
                .badInput, "a merge requires at least two different clusters; nothing was changed")
        }
        let result = try await edit { edit in
            for id in ids { _ = try edit.joined(id) }
            let merged = Set(ids)
            for row in edit.assignments.indices where edit.assignments[row].map(merged.contains) == true {
                edit.assignments[row] = first
            }
            return [first]
        }
        return result[0]
    }

    /// Splits a cluster by spherical k-means. The largest part keeps its id. Topics of the cluster end. No other
    /// cluster changes.
    ///
    /// - Parameters:
    ///   - id: The cluster.
    ///   - parts: The number of parts, at least 2.
    ///   - seed: The seed of k-means.
    /// - Returns: The parts with their members, largest first.
    /// - Throws: ``RoostError`` with `.notFound`, or `.badInput` if there are fewer entries than parts or all
    ///   vectors are equal; `StorageError`.
    @discardableResult
    public func split(
        _ id: Cluster.ID, into parts: Int = 2, seed: UInt64 = 0
    ) async throws -> [Cluster] {
        guard parts >= 2 else {
            throw RoostError(.badInput, "a cluster can be split only into two or more parts, not \(parts)")
        }
        let result = try await Computation.run {
            try await edit { edit in
                let cluster = try edit.joined(id)
                let rows = edit.rows(of: id)
                guard rows.count >= parts else {
                    throw RoostError(
                        .badInput,
                        "cannot split cluster \(id.text) into \(parts) parts: it has only "
                            + Count.text(rows.count, "entry", "entries"))
                }
                let vectors = try await edit.vectors(of: Set(rows.map { edit.entries[$0] }))
                let partition = try await SphericalKMeans(clusters: parts, seed: seed)
                    .cluster(vectors.vectors)
                var members = [[Int]](repeating: [], count: partition.count)
                for (row, label) in zip(edit.rows(of: vectors.ids), partition.labels) {
                    if let group = label.group { members[group].append(row) }
                }
                members = members.filter { !$0.isEmpty }.sorted { $1.count < $0.count }
                guard members.count > 1 else {
                    throw RoostError(
                        .badInput, "cannot split cluster \(id.text): all of its entries have the same vector")
                }
                var ids = [id]
                for part in members.dropFirst() {
                    let new = edit.addCluster(nextTo: cluster)
                    for row in part { edit.assignments[row] = new }
                    ids.append(new)
                }
                return ids
            }
        }
        return result.sorted { ($1.members.count, $0.id) < ($0.members.count, $1.id) }
    }

    /// Deletes a cluster and those below it. Its entries are in no cluster until the next run, or until their
    /// texts change.
    ///
    /// - Throws: ``RoostError`` with `.notFound`; `StorageError`.
    public func delete(_ id: Cluster.ID) async throws {
        _ = try await edit { edit in
            _ = try edit.joined(id)
            for row in edit.rows(of: id) { edit.assignments[row] = nil }
            return []
        }
    }

    /// Moves entries to a cluster, or out of all clusters. A cluster without members ends. If the cluster
    /// contains others, each entry joins the nearest of these.
    ///
    /// The entries stay there until the next run, which can assign them differently, or until their texts
    /// change.
    ///
    /// - Parameters:
    ///   - ids: The entries.
    ///   - target: The cluster; `nil` for none.
    /// - Returns: The number of entries that were not in the cluster before.
    /// - Throws: ``RoostError`` with `.notFound` for an entry that the store does not contain or that has no
    ///   vector, or for an unknown cluster; `StorageError`. If an error is thrown, nothing is changed.
    @discardableResult
    public func move(_ ids: [Entry.ID], to target: Cluster.ID?) async throws -> Int {
        let moved = Set(ids)
        var before: [Entry.ID: Cluster.ID] = [:]
        for assignment in try await storage.snapshot().assignments(of: Array(moved)) {
            before[assignment.entry] = assignment.cluster
        }
        _ = try await edit { edit in
            let vectors = try await edit.vectors(of: moved)
            guard vectors.ids.count == moved.count else {
                let missing = moved.subtracting(vectors.ids).map(\.text).min() ?? ""
                throw RoostError(
                    .notFound,
                    "cannot move entry \(missing): it was not found or has no vector; nothing was changed")
            }
            try edit.move(vectors, to: target)
            return []
        }
        return moved.count { before[$0] != target }
    }

    private func edit(
        _ change: @Sendable (inout ClusterEdit) async throws -> [Cluster.ID]
    ) async throws -> [Cluster] {
        try await storage.commitClusterChange { snapshot in
            var edit = try await ClusterEdit(snapshot, boilerplate.catalog.load(), boilerplate.embedder)
            let ids = try await change(&edit)
            let clustering = try await edit.finish()
            let clusters = clustering.clusters.byID
            return (WriteBatch(clustering: clustering), ids.compactMap { clusters[$0] })
        }
    }
}

extension StorageProvider {
    /// Commits a change that is computed from the current clusters. If another writer changes the clusters in
    /// the meantime, the change is computed again from the new state. An empty batch is not committed.
    @concurrent
    func commitClusterChange<Value: Sendable>(
        _ change: @Sendable (any StorageSnapshot) async throws -> (batch: WriteBatch, value: Value)
    ) async throws -> Value {
        try await commitChange { snapshot in
            let revision = try await snapshot.clustersRevision()
            var change = try await change(snapshot)
            change.batch.expecting.clusters = revision
            return change
        }
    }
}

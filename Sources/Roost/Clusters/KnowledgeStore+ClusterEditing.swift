public import Foundation
import RoostClustering
public import RoostModel
import RoostText

extension KnowledgeStore {
    /// No label is longer, in bytes of UTF-8.
    public static let longestLabel = 200

    /// Gives a cluster a name that runs keep as long as they keep the cluster.
    ///
    /// - Parameter label: `nil` takes a name given before away: the cluster is called by its keywords again.
    /// - Returns: the cluster, without its members.
    /// - Throws: ``RoostError`` with `.notFound`, or `.badInput` for a name that is empty, longer than
    ///   ``longestLabel`` or of several lines; ``StorageError``.
    @discardableResult
    public func labelCluster(_ id: Cluster.ID, _ label: String?) async throws -> Cluster {
        if let label {
            guard !label.allSatisfy(\.isWhitespace) else {
                throw RoostError(.badInput, "a cluster's name is not empty")
            }
            guard label.utf8.count <= Self.longestLabel else {
                throw RoostError(
                    .badInput,
                    "a cluster's name has at most \(Self.longestLabel) bytes; this one has "
                        + "\(label.utf8.count)")
            }
            guard !label.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
                throw RoostError(.badInput, "a cluster's name is one line, without control characters")
            }
        }
        return try await retrying { snapshot in
            guard var cluster = try await snapshot.clusterRecords().first(where: { $0.id == id }) else {
                throw RoostError(.notFound, "there is no cluster \(id.text); nothing was changed")
            }
            (cluster.isLabelPinned, cluster.labeledBy) = (label != nil, nil)
            cluster.label =
                label ?? KeywordExtractor.label(of: cluster.keywords) ?? "cluster \(id.text.prefix(8))"
            cluster.updatedAt = Date()
            return (WriteBatch(clusters: [cluster]), cluster)
        }
    }

    /// Makes one cluster of several, which keeps the first one's id, name and place in a hierarchy. No other
    /// cluster changes.
    ///
    /// - Returns: the cluster with its members.
    /// - Throws: ``RoostError`` with `.notFound`, or `.badInput` for fewer than two clusters or one that is
    ///   made of others; ``StorageError``.
    @discardableResult
    public func mergeClusters(_ ids: [Cluster.ID]) async throws -> Cluster {
        guard Set(ids).count == ids.count, let first = ids.first, ids.count > 1 else {
            throw RoostError(.badInput, "at least two different clusters are merged; nothing was changed")
        }
        let made = try await editClusters { edit in
            for id in ids { _ = try edit.record(id) }
            let merged = Set(ids)
            for row in edit.clusters.indices where edit.clusters[row].map(merged.contains) == true {
                edit.clusters[row] = first
            }
            return [first]
        }
        return made[0]
    }

    /// Divides a cluster by spherical k-means; the largest part keeps its id. No other cluster changes.
    ///
    /// - Parameter parts: how many, at least 2.
    /// - Returns: the parts with their members, largest first.
    /// - Throws: ``RoostError`` with `.notFound`, or `.badInput` where there are fewer entries than parts, or
    ///   all are the same; ``StorageError``.
    @discardableResult
    public func splitCluster(_ id: Cluster.ID, into parts: Int = 2, seed: UInt64 = 0) async throws
        -> [Cluster]
    {
        guard parts >= 2 else { throw RoostError(.badInput, "a cluster is split into at least two parts") }
        let made = try await editClusters { edit in
            let record = try edit.record(id)
            let rows = edit.rows(of: id)
            guard rows.count >= parts else {
                throw RoostError(
                    .badInput,
                    "cluster \(id.text) has \(rows.count) entries and cannot be split into \(parts)")
            }
            let partition = try await SphericalKMeans(clusters: parts, seed: seed)
                .cluster(edit.vectors.selecting(rows))
            var members = [[Int]](repeating: [], count: partition.count)
            for (row, label) in zip(rows, partition.labels) {
                if let group = label.group { members[group].append(row) }
            }
            members = members.filter { !$0.isEmpty }.sorted { $1.count < $0.count }
            guard members.count > 1 else {
                throw RoostError(.badInput, "the entries of cluster \(id.text) are all the same")
            }
            var ids = [id]
            for part in members.dropFirst() {
                let new = edit.addCluster(like: record)
                for row in part { edit.clusters[row] = new }
                ids.append(new)
            }
            return ids
        }
        return made.sorted { ($1.members.count, $0.id.uuidString) < ($0.members.count, $1.id.uuidString) }
    }

    /// Removes a cluster. Its entries stay, in no cluster until the next run or until their texts change.
    ///
    /// - Throws: ``RoostError`` with `.notFound`, or `.badInput` for one that is made of others;
    ///   ``StorageError``.
    public func deleteCluster(_ id: Cluster.ID) async throws {
        _ = try await editClusters { edit in
            _ = try edit.record(id)
            for row in edit.rows(of: id) { edit.clusters[row] = nil }
            return []
        }
    }

    /// - Parameter change: says which clusters are wanted back.
    private func editClusters(
        _ change: @Sendable (inout ClusterEdit) async throws -> [Cluster.ID]
    ) async throws -> [Cluster] {
        try await retrying { snapshot in
            var edit = try await ClusterEdit(snapshot)
            let wanted = try await change(&edit)
            let clustering = try await edit.finish(snapshot)
            let byID = Dictionary(clustering.clusters.map { ($0.id, $0) }) { first, _ in first }
            return (WriteBatch(clustering: clustering), wanted.compactMap { byID[$0] })
        }
    }

    /// Commits what `make` makes of the newest state, again where somebody changed the clusters meanwhile.
    @concurrent
    func retrying<Value: Sendable>(
        _ make: @Sendable (any StorageSnapshot) async throws -> (WriteBatch, Value)
    ) async throws -> Value {
        for attempt in 1... {
            let snapshot = try await storage.snapshot()
            let seen = try await snapshot.clustersRevision()
            var (batch, value) = try await make(snapshot)
            batch.expecting.clusters = seen
            do {
                _ = try await storage.commit(batch)
                return value
            } catch let error as StorageError where error.code == .conflict && attempt < 20 {
                continue
            }
        }
        preconditionFailure("the last attempt returns or throws")
    }
}

import Foundation
import RoostModel
import RoostVectors

/// Adapts clusters to new vectors of their members. The members stay the same.
struct ClusterTranslation {
    /// The new vectors of all entries.
    let vectors: [Entry.ID: [Float]]
    /// The clusters, with their members.
    private(set) var clusters: [Cluster]
    /// The assignments of all entries.
    private(set) var assignments: [Assignment]

    /// The maximum depth to which the cluster hierarchy is searched for members. The limit is needed because
    /// damaged data may contain cycles.
    private static let maximumDepth = 64
    /// The minimum number of members for which an assignment threshold is computed.
    private static let minimumMembers = 3
    /// One in this many members may be less similar to the centroid than the assignment threshold. The
    /// threshold is thus the 5th percentile of the members' similarities, as it is for newly created
    /// clusters.
    private static let membersPerOutlier = 20

    /// Recomputes centroids, thresholds, cohesion and similarities from the new vectors.
    mutating func run() {
        let children = Dictionary(grouping: clusters.filter { $0.parent != nil }) { $0.parent }
        let members = Dictionary(clusters.map { ($0.id, $0.members) }) { first, _ in first }
        func allMembers(of id: Cluster.ID, depth: Int = 0) -> [Entry.ID] {
            let direct = (members[id] ?? []).filter { vectors[$0] != nil }
            guard direct.isEmpty, depth < Self.maximumDepth else { return direct }
            return (children[id] ?? []).flatMap { allMembers(of: $0.id, depth: depth + 1) }
        }
        for index in clusters.indices where !clusters[index].centroid.isEmpty {
            update(&clusters[index], members: allMembers(of: clusters[index].id))
        }
        updateSimilarities()
    }

    private func update(_ cluster: inout Cluster, members: [Entry.ID]) {
        cluster.centroid = unitMean(of: members.compactMap { vectors[$0] }) ?? []
        cluster.updatedAt = Date()
        // Separation and silhouette compare clusters with each other, and stability describes the old
        // vectors. They stay empty until the next clustering computes them.
        (cluster.separation, cluster.silhouette, cluster.stability) = (nil, nil, nil)
        cluster.assignmentThreshold = nil
        guard !cluster.centroid.isEmpty else { return }
        let ranked = members.map { (id: $0, cosine: innerProduct(vectors[$0] ?? [], cluster.centroid)) }
            .sorted { ($1.cosine, $0.id) < ($0.cosine, $1.id) }
        cluster.cohesion = ranked.reduce(0) { $0 + $1.cosine } / Float(max(1, ranked.count))
        if ranked.count >= Self.minimumMembers {
            let index = ranked.count - 1 - ranked.count / Self.membersPerOutlier
            cluster.assignmentThreshold = ranked[index].cosine
        }
        cluster.representatives = ranked.prefix(cluster.representatives.count).map(\.id)
    }

    private mutating func updateSimilarities() {
        let centroids = Dictionary(clusters.map { ($0.id, $0.centroid) }) { first, _ in first }
            .filter { !$0.value.isEmpty }
        for index in assignments.indices {
            guard let vector = vectors[assignments[index].entry] else { continue }
            if let cluster = assignments[index].cluster {
                guard let centroid = centroids[cluster] else { continue }
                assignments[index].similarity = innerProduct(vector, centroid)
            } else {
                // The similarity of an outlier is its similarity to the nearest cluster.
                let similarities = centroids.values.lazy.map { innerProduct(vector, $0) }
                assignments[index].similarity = similarities.max() ?? assignments[index].similarity
            }
        }
    }
}

import Roost
import RoostModel

/// The clusters of a store in their hierarchy, and their JSON form.
struct ClusterHierarchy: Sendable {
    private let forest: ClusterForest

    init(_ clusters: [Cluster]) { forest = ClusterForest(clusters) }

    private func ordered(_ clusters: [Cluster]) -> [Cluster] {
        clusters.map { ($0, forest.size(of: $0)) }
            .sorted { ($1.1, $0.0.id.text) < ($0.1, $1.0.id.text) }.map(\.0)
    }

    /// Returns all clusters, each followed by the clusters below it.
    func flat() -> [JSONValue] {
        func walk(_ clusters: [Cluster]) -> [JSONValue] {
            ordered(clusters).flatMap { [json($0)] + walk(forest.children(of: $0)) }
        }
        return walk(forest.roots)
    }

    /// Returns the JSON form of a cluster that was found by its similarity to a text.
    func json(_ cluster: Cluster, similarity: Float) -> JSONValue {
        var members = json(cluster).members ?? [:]
        members["similarity"] = .float(similarity)
        return .object(members)
    }

    func json(_ cluster: Cluster) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(cluster.id.text), "label": .string(cluster.label),
            "keywords": .array(cluster.keywords.map { .string($0) }),
            "size": .count(forest.size(of: cluster)), "pinned": .bool(cluster.isLabelPinned),
            "cohesion": .float(cluster.cohesion),
            "representatives": .array(cluster.representatives.map { .string($0.text) }),
        ]
        members["parent"] = cluster.parent.map { .string($0.text) }
        members["separation"] = cluster.separation.map { .float($0) }
        members["silhouette"] = cluster.silhouette.map { .float($0) }
        members["stability"] = cluster.stability.map { .float($0) }
        return .object(members)
    }

    /// The schema of ``json(_:)``.
    static let schema = Schema.object(
        [
            "id": Schema.id("The id, which later runs keep if most members stay."),
            "label": Schema.string("The label."),
            "keywords": Schema.array(of: Schema.string("A keyword."), "The keywords."),
            "size": Schema.integer("The number of members, including those of the clusters below."),
            "pinned": Schema.flag("Whether a person gave the label."),
            "cohesion": Schema.number("The mean cosine similarity of the members to the centroid."),
            "separation": Schema.number("The cosine distance to the nearest other centroid."),
            "silhouette": Schema.number("The silhouette, -1 to 1."),
            "stability": Schema.number("The share of samples in which the cluster is found again."),
            "parent": Schema.id("The id of the cluster that contains this one."),
            "similarity": Schema.number("The cosine similarity of the centroid to a query, if there is one."),
            "representatives": Schema.array(of: Schema.id("The id of an entry."), "Typical members."),
        ], required: ["id", "label", "keywords", "size", "pinned", "cohesion", "representatives"],
        isOpen: true, "A cluster.")
}

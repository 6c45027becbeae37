package import Roost
package import RoostModel

extension Argument {
    static let cluster = Argument(
        "cluster",
        Schema.string(
            "The id or label of the cluster, or an unambiguous part.", minimum: 1,
            maximum: OperationContext.maximumNameLength),
        .required)
}

struct ListClusters: Operation {
    struct Output: Codable, Sendable {
        var clusters: [ClusterDocument]
        var notices: [String]?
        var nextCursor: String?
    }

    var query: String?
    var limit: Int?

    static let name = "clusters"
    static let summary = "List the clusters with labels, keywords and sizes, largest first."
    static let details =
        "'search' lists the members of a 'cluster'."
    static let access = OperationAccess(.reads, .everything)
    static let route = OperationRoute(.get, "/clusters")
    static let isTool = true
    static let parameters =
        [
            Argument(
                "query",
                Schema.string(
                    "A text; the clusters most similar to it come first.", minimum: 1, maximum: 1_000
                ))
        ] + OperationContext.pageParameters(maximum: 10_000, standard: 50) + [TokenBudget.parameter]

    func run(in context: OperationContext) async throws -> Output {
        try TextValues.check(query, "query")
        // The order and the sizes depend on all members, which one statement reads faster than one statement per
        // cluster would.
        let clusters = try await context.snapshot.clusters()
        let hierarchy = ClusterHierarchy(clusters)
        var documents: [ClusterDocument]
        if let query {
            documents = try await ClusterMatch.matches(of: query, among: clusters, context.store.embedder)
                .map(hierarchy.document)
        } else {
            documents = hierarchy.nodes.map(\.document)
        }
        let (items, next) = try context.page(of: documents, standard: 50, context.budget)
        return Output(
            clusters: items, notices: clusters.isEmpty ? [[Cluster].isEmptyNotice] : nil, nextCursor: next)
    }
}

struct ReadCluster: Operation {
    typealias Output = ClusterDocument

    var cluster: String

    static let name = "cluster"
    static let summary = "Show a cluster without its members."
    static let access = OperationAccess(.reads, .everything)
    static let route = OperationRoute(.get, "/clusters/{cluster}")
    static let parameters = [Argument.cluster]

    func run(in context: OperationContext) async throws -> ClusterDocument {
        let clusters = try await context.snapshot.clusters()
        return ClusterHierarchy(clusters).document(try clusters.named(cluster))
    }
}

struct ListClusterMembers: Operation {
    struct Output: Codable, Sendable {
        var members: [EntryDocument]
        var count: Int
        var nextCursor: String?
    }

    var cluster: String
    var limit: Int?

    static let name = "cluster_members"
    static let summary =
        "List the entries of a cluster and of the clusters below it, nearest to their centroids first."
    static let access = OperationAccess(.reads, .everything)
    static let route = OperationRoute(.get, "/clusters/{cluster}/members")
    static let parameters =
        [Argument.cluster] + OperationContext.pageParameters(maximum: 1_000, standard: 50)

    func run(in context: OperationContext) async throws -> Output {
        let offset = try context.position() ?? 0
        let records = try await context.snapshot.clusterRecords()
        let cluster = try records.named(cluster)
        let members = try await Self.members(of: cluster, among: records, context.snapshot)
        let page = Array(members.dropFirst(offset).prefix(limit ?? 50))
        let length = min(Self.maximumSnippet, EntryDocument.snippetLength(context.tokens))
        let documents = try await EntryDocument.documents(
            of: page, in: context.snapshot, snippetLength: length)
        let (items, next) = try context.page(
            documents, from: offset, isLast: offset + page.count >= members.count, context.budget)
        return Output(members: items, count: members.count, nextCursor: next)
    }

    fileprivate static let maximumSnippet = 200

    /// Returns the members of a cluster and of those below it, with their similarities to the centroids, nearest first.
    static func members(
        of cluster: Cluster, among records: [Cluster], _ snapshot: any StorageSnapshot
    ) async throws -> [(Entry.ID, Float)] {
        var ids: [Entry.ID] = []
        for id in ClusterForest(records).ids(from: cluster) {
            ids += try await snapshot.ids(matching: EntryFilter(cluster: id))
        }
        let assignments = try await snapshot.assignments(of: ids)
        let similarity = Dictionary(assignments.map { ($0.entry, $0.similarity) }) { first, _ in first }
        return ids.map { ($0, similarity[$0] ?? 0) }.sorted { ($1.1, $0.0.text) < ($0.1, $1.0.text) }
    }
}

extension EntryDocument {
    /// Returns the forms of all members of a cluster and of those below it, nearest to the centroid first.
    package static func members(
        of cluster: Cluster, in snapshot: any StorageSnapshot
    ) async throws -> [EntryDocument] {
        let members = try await ListClusterMembers.members(
            of: cluster, among: try await snapshot.clusterRecords(), snapshot)
        return try await documents(
            of: members, in: snapshot, snippetLength: ListClusterMembers.maximumSnippet)
    }
}

struct CompareClusters: Operation {
    typealias Output = ClusterLineage

    static let name = "cluster_diff"
    static let summary = "Show how the last run and later edits changed the clusters."
    static let access = OperationAccess(.reads, .everything)
    static let route = OperationRoute(.get, "/clusters/diff")
    static let parameters: [Argument] = []

    func run(in context: OperationContext) async throws -> ClusterLineage {
        try await context.store.clusters.lineage()
    }
}

package struct ClusterDocument: Codable, Sendable {
    /// The id, which later runs keep if most members stay.
    package var id: String
    package var label: String
    package var keywords: [String]
    package var pinned: Bool
    /// `true` if a person gave the label and it probably no longer fits; otherwise `nil`.
    package var labelOutdated: Bool?
    /// The language model that gave the label.
    package var labeledBy: String?
    /// The number of members, including those of the clusters below.
    package var size: Int
    /// The mean cosine similarity of the members to the centroid.
    package var cohesion: Float?
    /// The cosine distance to the nearest other centroid.
    package var separation: Float?
    package var silhouette: Float?
    package var stability: Float?
    package var similarity: Float?
    package var parent: String?
    /// `true` for a topic of a group; otherwise `nil`.
    package var topic: Bool?
    package var representatives: [String]

    /// Creates the form of a cluster.
    package init(_ cluster: Cluster, size: Int? = nil, isLabelOutdated: Bool = false) {
        id = cluster.id.text
        label = cluster.label
        keywords = cluster.keywords
        pinned = cluster.isLabelPinned
        labelOutdated = isLabelOutdated ? true : nil
        labeledBy = cluster.labeledBy
        self.size = size ?? cluster.members.count
        cohesion = cluster.cohesion.rounded4
        separation = cluster.separation?.rounded4
        silhouette = cluster.silhouette?.rounded4
        stability = cluster.stability?.rounded4
        parent = cluster.parent?.text
        topic = cluster.isTopic ? true : nil
        representatives = cluster.representatives.map(\.text)
    }
}

/// The numbers of clusters at each scale.
package struct ClusterScales: Sendable {
    /// The number of groups that contain neither groups nor belong to another group.
    package let groups: Int
    package let topics: Int
    /// The number of clusters that contain groups.
    package let larger: Int

    package init(_ clusters: [Cluster]) {
        topics = clusters.count { $0.isTopic }
        larger = Set(clusters.lazy.filter { !$0.isTopic }.compactMap(\.parent)).count
        groups = clusters.count - topics - larger
    }

    /// The numbers of topics and larger clusters, for example ` with 40 topics, in 8 larger clusters`.
    package var details: String {
        (topics > 0 ? " with \(Count.text(topics, "topic"))" : "")
            + (larger > 0 ? ", in \(Count.text(larger, "larger cluster"))" : "")
    }

    package var text: String { Count.text(groups, "cluster") + details }
}

package struct ClusterHierarchy: Sendable {
    package struct Node: Sendable {
        package var document: ClusterDocument
        /// The level in the hierarchy, 0 at the top.
        package var depth: Int
    }

    private let forest: ClusterForest
    private let outdated: Set<Cluster.ID>

    package init(_ clusters: [Cluster]) {
        forest = ClusterForest(clusters)
        outdated = clusters.clustersWithOutdatedLabels()
    }

    package func document(_ cluster: Cluster) -> ClusterDocument {
        ClusterDocument(
            cluster, size: forest.size(of: cluster), isLabelOutdated: outdated.contains(cluster.id))
    }

    package func document(_ match: ClusterMatch) -> ClusterDocument {
        var document = document(match.cluster)
        document.similarity = match.similarity.rounded4
        return document
    }

    /// All clusters, largest first, each followed by its children.
    package var nodes: [Node] {
        func walk(_ clusters: [Cluster], _ depth: Int) -> [Node] {
            clusters.map { ($0, forest.size(of: $0)) }
                .sorted { ($1.1, $0.0.label, $0.0.id) < ($0.1, $1.0.label, $1.0.id) }
                .flatMap { cluster, _ in
                    let below = forest.children(of: cluster)
                    return [Node(document: document(cluster), depth: depth)]
                        + walk(below, depth + 1)
                }
        }
        return walk(forest.roots, 0)
    }
}

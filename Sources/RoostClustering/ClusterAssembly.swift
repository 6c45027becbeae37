public import Foundation
public import RoostModel
import RoostText
public import RoostVectors

/// Makes clusters with ids, labels, keywords and representatives of a partition's groups.
public struct ClusterAssembly: Sendable {
    /// How many keywords and representatives a cluster has at most.
    public var keywordLimit = 10
    public var representativeLimit = 5
    /// How many keywords make the label.
    public var labelWords = 3

    private var extractor: KeywordExtractor
    private let partition: Partition
    private let ids: [Entry.ID]
    private let rows: [Entry.ID: Int]

    /// - Parameter ids: the entry of each of the partition's rows.
    public init(_ partition: Partition, ids: [Entry.ID]) {
        precondition(ids.count == partition.labels.count, "an entry for each row")
        self.partition = partition
        self.ids = ids
        rows = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
        extractor = KeywordExtractor(groups: partition.count)
    }

    /// Counts the words of an entry's text for its group's keywords. To be called once for each entry, in
    /// any order.
    public mutating func count(_ text: String, of id: Entry.ID) {
        guard let row = rows[id], let group = partition.labels[row].group else { return }
        extractor.add(text, to: group)
    }

    /// The clusters, largest first, and everybody's assignment. A cluster that continues one of `previous`
    /// keeps its id and creation date.
    public func finish(run: ClusteringRun, previous: [Cluster]) -> WriteBatch.Clustering {
        var members = [[Int]](repeating: [], count: partition.count)
        for (row, label) in partition.labels.enumerated() {
            if let group = label.group { members[group].append(row) }
        }
        let continued = ClusterIdentity.match(members.map { $0.map { ids[$0] } }, to: previous)
        let clusterIDs = continued.map { $0?.id ?? UUID() }
        let keywords = extractor.keywords(limit: keywordLimit)
        var clusters = members.indices.map { group in
            let nearest = members[group].sorted {
                (partition.similarities[$1], ids[$0].uuidString) < (
                    partition.similarities[$0], ids[$1].uuidString
                )
            }
            let words = keywords[group]
            let sum = members[group].reduce(0.0) { $0 + Double(partition.similarities[$1]) }
            return Cluster(
                id: clusterIDs[group],
                label: words.isEmpty
                    ? "cluster \(group + 1)" : words.prefix(labelWords).joined(separator: ", "),
                keywords: words, centroid: partition.centroids.row(group),
                members: members[group].map { ids[$0] },
                representatives: nearest.prefix(representativeLimit).map { ids[$0] },
                cohesion: Float(sum / Double(max(1, members[group].count))),
                parent: partition.parents[group].map { clusterIDs[$0] },
                createdAt: continued[group]?.createdAt ?? run.createdAt, updatedAt: run.createdAt)
        }
        clusters.sort { ($1.members.count, $0.label) < ($0.members.count, $1.label) }
        let assignments = ids.indices.map { row in
            let place: Assignment.Place =
                switch partition.labels[row] {
                case .group(let group): .cluster(clusterIDs[group])
                case .outlier(let reason): .outlier(reason)
                }
            return Assignment(
                entry: ids[row], place: place, run: run.id, similarity: partition.similarities[row],
                confidence: partition.confidences[row])
        }
        return WriteBatch.Clustering(run: run, clusters: clusters, assignments: assignments)
    }
}

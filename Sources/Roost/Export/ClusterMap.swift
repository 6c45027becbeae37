public import Foundation
import RoostClustering
import RoostFiles
public import RoostModel
import RoostText
import RoostVectors

/// A two-dimensional layout of entries and their clusters, in which similar entries are near each other.
public struct ClusterMap: Sendable {
    /// An entry and its position.
    public struct Point: Sendable {
        /// The entry, without its vectors.
        public var entry: Entry
        /// The horizontal coordinate.
        public var x: Float
        /// The vertical coordinate.
        public var y: Float
        /// The index of the entry's cluster in ``ClusterMap/clusters``; `nil` for an entry in no cluster.
        public var cluster: Int?
    }

    /// The entries.
    public var points: [Point]
    /// The clusters of all levels, those with the most members first.
    public var clusters: [Cluster]
    /// The number of entries with vectors. It is greater than the number of points if the map shows a sample.
    public var total: Int

    /// The maximum number of entries of a map. Browsers draw this many points without noticeable delay.
    private static let maximumCount = 20_000
    private static let pageSize = 1000

    @concurrent
    static func make(_ storage: any StorageProvider, seed: UInt64) async throws -> ClusterMap {
        let snapshot = try await storage.snapshot()
        let entries = try await EntryVectors(snapshot)
        var (ids, vectors) = (entries.ids, entries.vectors)
        guard !ids.isEmpty else {
            throw RoostError(
                .emptyStore, "cannot create a map: the store has no entries", remedy: .addEntries)
        }
        let total = ids.count
        let step = (ids.count + maximumCount - 1) / maximumCount
        if step > 1 {
            let rows = Array(stride(from: 0, to: ids.count, by: step))
            vectors = vectors.selecting(rows)
            ids = rows.map { ids[$0] }
        }
        let layout = try await NeighborLayout(of: vectors, seed: seed)
        let clusters = try await snapshot.clusters()
            .sorted { ($1.members.count, $0.label) < ($0.members.count, $1.label) }
        var clusterOf: [Entry.ID: Int] = [:]
        for (index, cluster) in clusters.enumerated() {
            for member in cluster.members { clusterOf[member] = index }
        }
        var points: [Point] = []
        for part in ids.groups(of: pageSize) {
            for var entry in try await snapshot.entries(part) {
                (entry.embeddings, entry.passages) = ([], [])
                let row = points.count
                points.append(
                    Point(
                        entry: entry, x: layout.positions[row, 0], y: layout.positions[row, 1],
                        cluster: clusterOf[entry.id]))
            }
        }
        return ClusterMap(points: points, clusters: clusters, total: total)
    }

    /// Returns the map as one HTML file: the page of `roost serve`, which reads its data from the file, loads
    /// nothing and changes nothing. Texts are cut after 4,000 characters.
    public func page() throws -> Data {
        let map = try MapHeader(
            count: points.count, epoch: "", revision: 0, clusters: clusters.map(\.id.text)
        ).data(points.map { ($0.entry.id, SIMD2($0.x, $0.y), $0.cluster.map(UInt32.init) ?? .max) })
        let forest = ClusterForest(clusters)
        let contents = PageContents(
            total: total, map: map.base64EncodedString(),
            clusters: clusters.map { PageContents.Group($0, size: forest.size(of: $0)) },
            entries: points.map { point in
                PageContents.Text(point.entry, in: point.cluster.map { clusters[$0].id })
            })
        // Only the character `<` could end the script element that contains the data.
        let data = try JSONEncoder.canonical.encode(contents).escapingControlsInJSON()
        return PageFiles.document(
            with: String(decoding: data, as: UTF8.self).replacing("<", with: "\\u003c"))
    }
}

/// The data of a page in one file, in the form of the answers of the server.
private struct PageContents: Encodable {
    struct Group: Encodable {
        var id: String
        var label: String
        var keywords: [String]
        var pinned: Bool
        var size: Int
        var parent: String?
        var topic: Bool?

        init(_ cluster: Cluster, size: Int) {
            (id, label, keywords) = (cluster.id.text, cluster.label, cluster.keywords)
            (pinned, self.size) = (cluster.isLabelPinned, size)
            (parent, topic) = (cluster.parent?.text, cluster.isTopic ? true : nil)
        }
    }

    struct Text: Encodable {
        var id: String
        var title: String
        var text: String
        var tags: [String]
        var source: String?
        var path: String?
        var createdAt: String
        var cluster: String?

        init(_ entry: Entry, in cluster: Cluster.ID?) {
            (id, tags, source, path) = (entry.id.text, entry.tags, entry.source, entry.sourcePath)
            title = TextTitle.shortened(entry.title ?? entry.content)
            text = String(entry.content.prefix(PageContents.maximumTextLength))
            (createdAt, self.cluster) = (DateText.string(from: entry.createdAt), cluster?.text)
        }
    }

    static let maximumTextLength = 4_000

    var total: Int
    var map: String
    var clusters: [Group]
    var entries: [Text]
}

extension StoreClusters {
    /// Returns a two-dimensional layout of the entries, in which similar entries are near each other. If
    /// there are more than 20,000 entries, the map includes entries at regular intervals, in the order of
    /// their ids.
    ///
    /// - Parameter seed: The seed of the layout.
    /// - Throws: ``RoostError`` with `.emptyStore` if there are no entries; `StorageError`;
    ///   `CancellationError`.
    public func map(seed: UInt64 = 0) async throws -> ClusterMap {
        try await Computation.run { try await ClusterMap.make(storage, seed: seed) }
    }
}

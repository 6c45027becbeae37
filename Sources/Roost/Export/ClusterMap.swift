public import Foundation
import RoostClustering
import RoostFiles
public import RoostModel
import RoostVectors

/// A two-dimensional layout of entries and their clusters, in which similar entries are near each other.
public struct ClusterMap: Sendable {
    /// An entry.
    public struct Point: Sendable {
        /// The id of the entry.
        public var id: Entry.ID
        /// The text of the entry.
        public var text: String
        /// The horizontal coordinate.
        public var x: Float
        /// The vertical coordinate.
        public var y: Float
        /// The index of the entry's cluster in ``ClusterMap/clusters``; `nil` for an entry in no cluster.
        public var cluster: Int?
    }

    /// The entries, in the order of their ids.
    public var points: [Point]
    /// The clusters that have members, largest first.
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
        let clusters = try await snapshot.clusters().filter { !$0.members.isEmpty }
            .sorted { ($1.members.count, $0.label) < ($0.members.count, $1.label) }
        var clusterOf: [Entry.ID: Int] = [:]
        for (index, cluster) in clusters.enumerated() {
            for member in cluster.members { clusterOf[member] = index }
        }
        var points: [Point] = []
        for part in ids.groups(of: pageSize) {
            let texts = try await snapshot.entries(part).byID.mapValues(\.content)
            for id in part {
                let row = points.count
                points.append(
                    Point(
                        id: id, text: texts[id] ?? "", x: layout.positions[row, 0],
                        y: layout.positions[row, 1], cluster: clusterOf[id]))
            }
        }
        return ClusterMap(points: points, clusters: clusters, total: total)
    }

    /// Returns the map as a self-contained HTML page: points in the color of their cluster, labels, the text
    /// of the entry under the pointer, a search field, and a button that saves the ids of the selected
    /// entries.
    public func page() throws -> Data {
        struct Contents: Encodable {
            var total: Int
            var labels: [String]
            var sizes: [Int]
            var x: [Float]
            var y: [Float]
            /// The index of each point's cluster; -1 for a point in no cluster.
            var cluster: [Int]
            var ids: [String]
            var text: [String]
        }
        func rounded(_ value: Float) -> Float { (value * 1000).rounded() / 1000 }
        let contents = Contents(
            total: total, labels: clusters.map(\.label), sizes: clusters.map(\.members.count),
            x: points.map { rounded($0.x) }, y: points.map { rounded($0.y) },
            cluster: points.map { $0.cluster ?? -1 }, ids: points.map(\.id.text),
            text: points.map { String($0.text.prefix(Self.maximumTextLength)) })
        // Only the character `<` could end the script element that contains the data.
        let data = try JSONEncoder.canonical.encode(contents).escapingControlsInJSON()
        let json = String(decoding: data, as: UTF8.self).replacing("<", with: "\\u003c")
        return Data(ClusterPage.html.replacing("/*DATA*/", with: json, maxReplacements: 1).utf8)
    }

    private static let maximumTextLength = 400
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

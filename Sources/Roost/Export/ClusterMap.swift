public import Foundation
import RoostClustering
public import RoostModel
import RoostVectors

/// Entries in a plane, near whom they are near, with their clusters.
public struct ClusterMap: Sendable {
    public struct Point: Sendable {
        public var id: Entry.ID
        public var text: String
        public var x: Float
        public var y: Float
        /// The number of its cluster in ``ClusterMap/clusters``; `nil` where it is in none.
        public var cluster: Int?
        /// Numbers of points, nearest first, with one less the cosine.
        public var neighbors: [(point: Int, distance: Float)]
    }

    public struct Group: Sendable {
        public var id: Cluster.ID
        public var label: String
        public var size: Int
    }

    /// In the order of their ids.
    public var points: [Point]
    /// Those that have members, largest first.
    public var clusters: [Group]
    /// How many entries have vectors; more than there are points where only some are shown.
    public var total: Int
}

extension KnowledgeStore {
    /// So many entries are shown on a page at most.
    public static let largestPage = 20_000

    /// Lays out the store's entries (``NeighborLayout``).
    ///
    /// - Parameter limit: of more entries every second, third, … is taken, in the order of their ids.
    /// - Throws: ``RoostError`` with `.emptyStore` where there are no entries; ``StorageError``;
    ///   `CancellationError`.
    @concurrent
    public func clusterMap(limit: Int = .max, seed: UInt64 = 0) async throws -> ClusterMap {
        let snapshot = try await storage.snapshot()
        var (ids, vectors) = try await Self.entryVectors(snapshot)
        guard !ids.isEmpty else {
            throw RoostError(.emptyStore, "the store has no entries; add some with `roost ingest PATH`")
        }
        let total = ids.count
        let step = limit < ids.count ? (ids.count + max(1, limit) - 1) / max(1, limit) : 1
        if step > 1 {
            let rows = Array(stride(from: 0, to: ids.count, by: step))
            vectors = vectors.selecting(rows)
            ids = rows.map { ids[$0] }
        }
        let layout = try await NeighborLayout(of: vectors, seed: seed)
        let clusters = try await snapshot.clusters().filter { !$0.members.isEmpty }
            .sorted { ($1.members.count, $0.label) < ($0.members.count, $1.label) }
        let places = Dictionary(clusters.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let clusterOf = Dictionary(
            try await snapshot.assignments(of: nil).map { ($0.entry, $0.cluster) }
        ) { first, _ in first }
        var points: [ClusterMap.Point] = []
        for start in stride(from: 0, to: ids.count, by: 1000) {
            let part = Array(ids[start..<min(ids.count, start + 1000)])
            let texts = Dictionary(try await snapshot.entries(part).map { ($0.id, $0.content) }) { first, _ in
                first
            }
            for (offset, id) in part.enumerated() {
                let row = start + offset
                points.append(
                    ClusterMap.Point(
                        id: id, text: texts[id] ?? "", x: layout.places[row, 0], y: layout.places[row, 1],
                        cluster: (clusterOf[id] ?? nil).flatMap { places[$0] },
                        neighbors: layout.neighbors[row].map { ($0.row, $0.distance) }))
            }
        }
        return ClusterMap(
            points: points,
            clusters: clusters.map { .init(id: $0.id, label: $0.label, size: $0.members.count) }, total: total
        )
    }
}

extension ClusterMap {
    /// JSON Lines that embedding-atlas opens (`--x x --y y --text text --neighbors neighbors`): `id`, `x`,
    /// `y`, `text`, `cluster` (the label) and `neighbors`, whose `ids` are numbers of lines from 0.
    public func atlas() throws -> Data {
        struct Line: Encodable {
            struct Neighbors: Encodable {
                var ids: [Int]
                var distances: [Float]
            }
            var id: String
            var x: Float
            var y: Float
            var text: String
            var cluster: String
            var neighbors: Neighbors
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var data = Data()
        for point in points {
            data += try encoder.encode(
                Line(
                    id: point.id.text, x: point.x, y: point.y, text: point.text,
                    cluster: point.cluster.map { clusters[$0].label } ?? "",
                    neighbors: .init(
                        ids: point.neighbors.map(\.point), distances: point.neighbors.map(\.distance))))
            data.append(0x0A)
        }
        return data
    }

    /// One page that needs nothing else: points coloured by cluster, labels, the text under the pointer,
    /// search.
    public func page() throws -> Data {
        struct Contents: Encodable {
            var total: Int
            var labels: [String]
            var sizes: [Int]
            var x: [Float]
            var y: [Float]
            /// -1 for none.
            var cluster: [Int]
            var text: [String]
        }
        func rounded(_ value: Float) -> Float { (value * 1000).rounded() / 1000 }
        let contents = Contents(
            total: total, labels: clusters.map(\.label), sizes: clusters.map(\.size),
            x: points.map { rounded($0.x) }, y: points.map { rounded($0.y) },
            cluster: points.map { $0.cluster ?? -1 },
            text: points.map { String($0.text.prefix(Self.longestText)) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Inside a script element only `<` could end it.
        let json = String(decoding: try encoder.encode(contents), as: UTF8.self)
            .replacing("<", with: "\\u003c")
        return Data(ClusterPage.html.replacing("/*DATA*/", with: json, maxReplacements: 1).utf8)
    }

    /// So many characters of a text are on the page.
    private static let longestText = 400
}

package import Foundation
import RoostClustering
import RoostFiles
package import RoostModel
import RoostText
import RoostVectors

/// The positions of all entries of a store on a map, in which similar entries are near each other.
///
/// Entries keep their positions when others are added, so that a person who looks at the map does not lose the way.
package struct EntryPositions: Sendable {
    private var positions: [Entry.ID: SIMD2<Float>] = [:]
    /// The entries of the latest snapshot in the order of their rows, including those without a vector.
    private var ids: [Entry.ID] = []

    /// The maximum number of entries whose layout is computed; the others are placed next to these.
    private static let layoutLimit = 20_000
    /// The number of entries that another one is compared with to find its position.
    private static let anchorLimit = 4_000
    /// The share of new entries from which a new layout is computed.
    private static let newShare = 0.2
    private static let blockSize = 256
    private static let neighborCount = 3
    /// The distance from the mean position of its neighbors at which an entry is placed.
    private static let scatter: Float = 0.15

    /// Creates positions, for example those of an earlier map.
    package init(_ positions: [Entry.ID: SIMD2<Float>] = [:]) { self.positions = positions }

    /// Computes the positions of the entries of a snapshot that have none yet.
    @concurrent
    package mutating func update(to snapshot: any StorageSnapshot) async throws {
        var present: [Entry.ID] = []
        present.reserveCapacity(snapshot.stamp.entryCount)
        for try await page in snapshot.headerPages() { present += page.headers.map(\.id) }
        ids = present
        guard present.contains(where: { positions[$0] == nil }) else { return }
        // Entries without a vector have no position.
        var (added, count) = (0, 0)
        for try await page in snapshot.vectorPages(of: .entries) {
            added += page.ids.count { positions[$0] == nil }
            count += page.ids.count
        }
        guard added > 0 else { return }
        let isNew = Double(added) > Self.newShare * Double(count)
        self = try await Computation.run { [copy = self] in
            var result = copy
            if isNew { try await result.layOut(snapshot) }
            try await result.placeOthers(of: snapshot)
            return result
        }
    }

    /// The entries with a position, in the order of their rows.
    var placed: [Entry.ID] { ids.filter { positions[$0] != nil } }

    /// Reduces the map to entries at regular intervals, and returns these.
    mutating func keepSample(of limit: Int) -> [Entry.ID] {
        let placed = placed
        ids = Self.sample(placed.count, limit: limit).map { placed[$0] }
        return ids
    }

    private mutating func layOut(_ snapshot: any StorageSnapshot) async throws {
        positions = [:]
        let entries = try await Self.sample(of: snapshot, limit: Self.layoutLimit) { _ in true }
        let layout = try await NeighborLayout(of: entries.vectors).positions
        for (row, id) in entries.ids.enumerated() { positions[id] = SIMD2(layout[row, 0], layout[row, 1]) }
    }

    /// Places entries next to those that are most similar.
    private mutating func placeOthers(of snapshot: any StorageSnapshot) async throws {
        let placed = positions
        let anchors = try await Self.sample(of: snapshot, limit: Self.anchorLimit) { placed[$0] != nil }
        guard !anchors.ids.isEmpty else { return }
        let points = anchors.ids.map { placed[$0] ?? .zero }
        for try await page in snapshot.vectorPages(of: .entries, pageSize: Self.blockSize) {
            try Task.checkCancellation()
            let rows = page.ids.indices.filter { placed[page.ids[$0]] == nil }
            let products = page.vectors.selecting(rows).products(of: 0..<rows.count, with: anchors.vectors)
            for (index, row) in rows.enumerated() {
                let first = index * points.count
                let nearest = Self.largest(products[first..<first + points.count])
                let sum = nearest.reduce(SIMD2<Float>.zero) { $0 + points[$1 - first] }
                positions[page.ids[row]] = sum / Float(nearest.count) + Self.offset(of: page.ids[row])
            }
        }
    }

    /// Reads a sample of the entries that a condition selects: those with the smallest hashes of their vectors, so that
    /// neither the order of ingestion nor ids, which are derived from paths, matter.
    private static func sample(
        of snapshot: any StorageSnapshot, limit: Int, where isSelected: (Entry.ID) -> Bool
    ) async throws -> EntryVectors {
        var hashes: [(hash: UInt64, row: UInt32)] = []
        for try await page in snapshot.vectorPages(of: .entries, pageSize: PageSize.vectors) {
            for (row, id) in page.ids.enumerated() where isSelected(id) {
                let hash = page.vectors.withRow(row) { FNV1a.hash(of: UnsafeRawBufferPointer($0)) }
                hashes.append((hash, page.rows[row]))
            }
        }
        let rows = Set(hashes.sorted { $0 < $1 }.prefix(limit).map(\.row))
        return try await EntryVectors(snapshot, capacity: rows.count) { _, row in rows.contains(row) }
    }

    private static func largest(_ values: ArraySlice<Float>) -> [Int] {
        var found: [Int] = []
        for index in values.indices {
            guard found.count < neighborCount || values[index] > values[found[found.count - 1]] else {
                continue
            }
            let place = found.firstIndex { values[$0] < values[index] } ?? found.count
            found.insert(index, at: place)
            if found.count > neighborCount { found.removeLast() }
        }
        return found
    }

    /// Returns an offset that differs from entry to entry, so that neighbors do not hide each other.
    private static func offset(of id: Entry.ID) -> SIMD2<Float> {
        let angle = Float(id.uuid.0) / 256 * 2 * .pi
        let radius = scatter * (Float(id.uuid.1) / 256).squareRoot()
        return SIMD2(radius * cos(angle), radius * sin(angle))
    }

    private static func sample(_ count: Int, limit: Int) -> [Int] {
        Array(stride(from: 0, to: count, by: max(1, (count + limit - 1) / limit)))
    }

    /// Returns the map of the latest snapshot: the length of a JSON object (UInt32), the object with `count`, `epoch`,
    /// `revision` and `clusters` (ids), padded with spaces to a multiple of four bytes, and then for all entries their
    /// ids (16 bytes each), x and y (Float32), and the indices of their clusters (UInt32; the maximum for an entry in
    /// no cluster). All numbers are little-endian.
    package func data(for snapshot: any StorageSnapshot) async throws -> Data {
        let assignments = try await snapshot.assignments(of: nil)
        let clusters = Set(assignments.compactMap(\.cluster)).sorted()
        let numbers = Dictionary(uniqueKeysWithValues: zip(clusters, UInt32(0)...))
        let clusterOf = Dictionary(assignments.map { ($0.entry, $0.cluster) }) { first, _ in first }
        let points = ids.compactMap { id in
            positions[id].map { (id, $0, clusterOf[id].flatMap(\.self).flatMap { numbers[$0] } ?? .max) }
        }
        return try MapHeader(
            count: points.count, epoch: snapshot.stamp.epoch.text,
            revision: Int(snapshot.stamp.revision.rawValue),
            clusters: clusters.map(\.text)
        ).data(points)
    }
}

/// The object at the beginning of a map, which ``EntryPositions/data(for:)`` describes.
package struct MapHeader: Codable {
    package var count: Int
    package var epoch: String
    package var revision: Int
    var clusters: [String]

    func data(_ points: [(id: Entry.ID, place: SIMD2<Float>, cluster: UInt32)]) throws -> Data {
        var header = try JSONEncoder.canonical.encode(self)
        header.append(contentsOf: repeatElement(UInt8(ascii: " "), count: (4 - header.count % 4) % 4))
        var data = Data()
        data.reserveCapacity(4 + header.count + 28 * points.count)
        func append(_ number: UInt32) {
            withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
        }
        append(UInt32(header.count))
        data += header
        for point in points { withUnsafeBytes(of: point.id.uuid) { data.append(contentsOf: $0) } }
        for axis in 0..<2 { for point in points { append(point.place[axis].bitPattern) } }
        for point in points { append(point.cluster) }
        return data
    }
}

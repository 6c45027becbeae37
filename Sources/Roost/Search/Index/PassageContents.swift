import Foundation
import RoostFiles
import RoostModel
import RoostVectors

/// The vectors of all passages, for searching: a main segment, and newer segments with the passages of entries
/// that have changed since.
///
/// A segment is never rebuilt. If an entry is changed or removed, its rows in older segments get tombstones,
/// and its new passages go into a new segment. So all valid passages of an entry are in one segment.
struct PassageContents: DerivedContents {
    struct Hit: Sendable {
        var entry: Entry.ID
        /// The storage's row of the entry.
        var entryRow: UInt32
        var ordinal: Int
        var score: Float
    }

    private var segments: [PassageSegment] = []
    var cursor = ChangeCursor.start
    var notice: SearchNotice?
    private(set) var statistics = PassageStatistics()

    init() {}

    var maximumChanges: Int { CatchUpLimit.maximumChanges(of: segments.reduce(0) { $0 + $1.count }) }

    static func map(_ folder: IndexFolder, _ stamp: Stamp) throws -> PassageContents? {
        guard let file = try PassageFile(in: folder, for: stamp) else { return nil }
        var contents = PassageContents()
        contents.segments = [PassageSegment(try PassageVectors(of: file), rows: file.rows)]
        contents.cursor = file.metadata.cursor
        contents.statistics = try PassageStatistics(of: file) ?? contents.statistics(among: nil)
        return contents
    }

    init(of snapshot: any StorageSnapshot) async throws {
        var collected = CollectedPassages(expecting: snapshot.stamp.entryCount)
        for try await page in snapshot.vectorPages(of: .passages) { collected.append(page) }
        append(collected)
    }

    init(of page: VectorPage) {
        var collected = CollectedPassages()
        collected.append(page)
        append(collected)
    }

    private mutating func append(_ passages: CollectedPassages) {
        if let segment = passages.segment { segments.append(segment) }
        statistics = statistics(among: nil)
    }

    /// Returns the statistics of the passages of some entries; `nil` for all.
    func statistics(among entryRows: RowSet?) -> PassageStatistics {
        var sample = PassageSample()
        for segment in segments { segment.addPassages(among: entryRows, to: &sample) }
        return PassageStatistics(of: &sample)
    }

    // MARK: Search

    /// Returns, for each query, the best passage of each of the `k` nearest entries, best first. If scores
    /// are equal, the lower id comes first.
    ///
    /// - Throws: `SectionFile.Unusable` if a part of the index file that the search reads is damaged.
    func search(
        _ queries: Matrix, k: Int, among entryRows: RowSet?, isExact: Bool
    ) async throws -> [[Hit]] {
        var hits = [[Hit]](repeating: [], count: queries.rows)
        guard k > 0 else { return hits }
        // All passages of an entry are in one segment, so the best entries overall are among the best of each
        // segment.
        for segment in segments {
            let found = try await segment.search(queries, k: k, among: entryRows, isExact: isExact)
            for query in hits.indices { hits[query] += found[query] }
        }
        return hits.map { found in
            Array(found.sorted { ($1.score, $0.entry) < ($0.score, $1.entry) }.prefix(k))
        }
    }

    struct Match {
        var passage: Hit
        var vector: [Float]
        /// The cosine of the query and the mean of the entry's passages; `nil` if the entry has one passage.
        var entryCosine: Float?
    }

    /// Returns the similarity of an entry and a query.
    func match(_ entry: Entry.ID, row: UInt32, for vector: [Float]) throws -> Match? {
        for segment in segments.reversed() {
            if let match = try segment.match(entry, row: row, for: vector) { return match }
        }
        return nil
    }

    // MARK: Changes

    mutating func update(_ changed: Set<Entry.ID>, from snapshot: any StorageSnapshot) async throws {
        for index in segments.indices { segments[index].bury(changed) }
        var changed = changed
        if segments.count >= CatchUpLimit.maximumParts {
            for segment in segments.dropFirst() { changed.formUnion(segment.entries) }
            segments.removeSubrange(1...)
        }
        var collected = CollectedPassages()
        for try await page in snapshot.entryPages(matching: EntryFilter(ids: changed)) {
            collected.append(VectorPage(passagesOf: page))
        }
        append(collected)
    }
}

/// The figures of a store's passages with which a search compares cosines.
struct PassageStatistics: Sendable {
    var pairs = PairStatistics.prior
    var hubs = HubSample(Matrix(rows: 0, columns: 0), entries: [])

    init() {}

    init(of sample: inout PassageSample) { (pairs, hubs) = (sample.statistics(), sample.hubs()) }

    /// Reads the statistics of an index file; `nil` if it has none.
    init?(of file: PassageFile) throws {
        guard let pairs = file.metadata.pairs, let rows = file.metadata.sample else { return nil }
        let known = rows.filter { $0 < file.rows.count }
        let vectors = try known.map { row in try file.vectors.withVerifiedRow(Int(row)) { Array($0) } }
        self.pairs = pairs
        hubs = HubSample(
            Matrix(vectors, columns: file.vectors.dimension), entries: known.map { file.rows.ids[Int($0)] },
            rows: known)
    }
}

/// The passages that become a segment.
private struct CollectedPassages {
    private var rows = IndexRows()
    private var elements: [Float] = []
    private let expectedCount: Int

    /// - Parameter count: The minimum number of passages that are expected.
    init(expecting count: Int = 0) { expectedCount = count }

    var segment: PassageSegment? {
        guard rows.count > 0 else { return nil }
        let vectors = Matrix(rows: rows.count, columns: elements.count / rows.count, elements: elements)
        return PassageSegment(PassageVectors(vectors), rows: rows)
    }

    mutating func append(_ page: VectorPage) {
        let page = page.comparable
        rows.append(page)
        elements.reserveCapacity(expectedCount * page.vectors.columns)
        elements += page.vectors.elements
    }
}

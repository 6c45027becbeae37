import Foundation
import RoostModel
import RoostVectors

/// The vectors of all passages, for searching.
struct PassageContents: DerivedContents {
    struct Hit: Sendable {
        var entry: Entry.ID
        /// The storage's row of the entry.
        var entryRow: UInt32
        var ordinal: Int
        var score: Float
    }

    private var index = SegmentedIndex()
    var cursor = ChangeCursor.start
    private(set) var isMapped = false
    var notice: SearchNotice?
    /// The number of passages that are omitted because their vectors contain numbers that are not finite.
    private(set) var incomparable = 0
    private(set) var statistics = PairStatistics.prior

    init() {}

    var maximumChanges: Int { CatchUpLimit.maximumChanges(of: index.count) }

    static func map(_ directory: URL, _ stamp: Stamp) throws -> PassageContents? {
        guard let file = try PassageFile(in: directory, for: stamp) else { return nil }
        var contents = PassageContents()
        contents.index = SegmentedIndex(
            main: PassageSegment(file.vectors, graph: try file.graph(), rows: file.rows))
        contents.cursor = file.metadata.cursor
        contents.incomparable = file.metadata.incomparable ?? 0
        contents.isMapped = true
        contents.statistics = file.metadata.pairs ?? contents.index.pairStatistics()
        return contents
    }

    init(of snapshot: any StorageSnapshot) async throws {
        var pages: [VectorPage] = []
        for try await var page in snapshot.vectorPages(of: .passages) {
            incomparable += page.removeIncomparable()
            if !page.rows.isEmpty { pages.append(page) }
        }
        guard let dimension = pages.first?.vectors.columns else { return }
        var elements: [Float] = []
        elements.reserveCapacity(pages.reduce(0) { $0 + $1.vectors.elements.count })
        for page in pages { elements += page.vectors.elements }
        let count = pages.reduce(0) { $0 + $1.rows.count }
        let rows = IndexRows(
            entryRows: pages.flatMap(\.rows), ids: pages.flatMap(\.ids), ordinals: pages.flatMap(\.ordinals))
        index = SegmentedIndex(
            main: PassageSegment(Matrix(rows: count, columns: dimension, elements: elements), rows: rows))
        statistics = index.pairStatistics()
    }

    init(of page: VectorPage) {
        guard !page.rows.isEmpty else { return }
        let rows = IndexRows(entryRows: page.rows, ids: page.ids, ordinals: page.ordinals)
        index = SegmentedIndex(main: PassageSegment(page.vectors, rows: rows))
        statistics = index.pairStatistics()
    }

    /// Returns, for each query, the best passage of each of the `k` nearest entries, best first. If scores
    /// are equal, the lower id comes first. See ``SegmentedIndex/search(_:k:among:isExact:)``.
    func search(
        _ queries: Matrix, k: Int, among entryRows: RowSet?, isExact: Bool
    ) async throws -> [[Hit]] {
        try await index.search(queries, k: k, among: entryRows, isExact: isExact)
    }

    struct Match {
        var passage: Hit
        /// The cosine of the query and the mean of the entry's passages; `nil` if the entry has one passage.
        var entryCosine: Float?
    }

    /// Returns the similarity of an entry and a query.
    ///
    /// - Returns: `nil` if the index does not contain the entry.
    func match(_ entry: Entry.ID, row: UInt32, for vector: [Float]) throws -> Match? {
        for segment in index.segments.reversed() {
            if let match = try segment.match(entry, row: row, for: vector) { return match }
        }
        return nil
    }

    /// Rows of changed entries that are at most this far apart are read together with the rows between them.
    private static let maximumGap: UInt32 = 32
    private static let maximumPage = 4096

    mutating func update(_ changed: Set<Entry.ID>, from snapshot: any StorageSnapshot) async throws {
        index.bury(changed)
        var changed = changed
        if index.segments.count >= CatchUpLimit.maximumParts {
            changed.formUnion(index.removeNewerSegments())
        }
        let rows = try await snapshot.rows(matching: EntryFilter(ids: changed))
        var collected = CollectedVectors()
        for run in rows.runs(joiningGapsUpTo: Self.maximumGap) {
            try await collected.read(
                run, of: rows, from: snapshot, pageSize: min(Self.maximumPage, run.count))
        }
        incomparable += collected.incomparable
        if let segment = collected.segment { index.append(segment) }
        statistics = index.pairStatistics()
    }

    /// The vectors of changed entries, from which a segment is made.
    private struct CollectedVectors {
        private var entryRows: [UInt32] = []
        private var ids: [Entry.ID] = []
        private var ordinals: [UInt32] = []
        private var elements: [Float] = []
        private(set) var incomparable = 0

        /// The segment with the collected vectors; `nil` if there are none.
        var segment: PassageSegment? {
            guard !entryRows.isEmpty else { return nil }
            let vectors = Matrix(
                rows: entryRows.count, columns: elements.count / entryRows.count, elements: elements)
            return PassageSegment(
                vectors, rows: IndexRows(entryRows: entryRows, ids: ids, ordinals: ordinals))
        }

        /// Reads the vectors of those of the given rows that are within a run of consecutive rows.
        mutating func read(
            _ run: Range<UInt32>, of rows: RowSet, from snapshot: any StorageSnapshot, pageSize: Int
        ) async throws {
            var previous = run.lowerBound == 0 ? nil : run.lowerBound - 1
            while true {
                try Task.checkCancellation()
                var page = try await snapshot.vectors(of: .passages, after: previous, limit: pageSize)
                incomparable += page.removeIncomparable()
                for (index, row) in page.rows.enumerated() where rows.contains(row) && row < run.upperBound {
                    entryRows.append(row)
                    ids.append(page.ids[index])
                    ordinals.append(page.ordinals[index])
                    elements += page.vectors.row(index)
                }
                guard let next = page.next, next < run.upperBound - 1 else { break }
                previous = next
            }
        }
    }
}

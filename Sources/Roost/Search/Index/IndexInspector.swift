import Foundation
import RoostFiles
import RoostIndexes
import RoostModel
import RoostVectors

/// Describes and measures the index files of a store.
struct IndexInspector {
    private let storage: any StorageProvider
    private let directory: URL?

    init(_ store: KnowledgeStore) {
        storage = store.storage
        directory = store.directory
    }

    /// See ``KnowledgeStore/indexDescription()``.
    @concurrent
    func description() async throws -> IndexDescription? {
        let stamp = try await storage.snapshot().stamp
        guard let directory else { return nil }
        return try await Self.mappingIndexErrors {
            let file = try PassageFile(in: directory, for: stamp)
            // The description does not depend on the checksums, which searches and inspections verify.
            guard let words = try TextFile(in: directory, for: stamp, verifying: false) else { return nil }
            let graph = try file?.graph()
            let metadata = [words.metadata, file?.metadata].compactMap(\.self)
            let oldest = metadata.min { $0.revision < $1.revision } ?? words.metadata
            let changed = try await storage.changedEntries(after: oldest.cursor)
            let graphBytes = graph.map { $0.count * $0.bytesPerVector } ?? 0
            return IndexDescription(
                entries: words.metadata.count, terms: words.index.termCount,
                passages: file?.metadata.count ?? 0, dimension: file?.metadata.dimension ?? 0,
                bytes: (file?.size ?? 0) + words.size + graphBytes, hasGraph: graph != nil,
                revision: oldest.revision, createdAt: Date(milliseconds: oldest.createdAt),
                changesSince: changed?.ids.count ?? stamp.entryCount)
        }
    }

    // MARK: Recall

    /// The number of nearest passages per query for which recall is measured.
    private static let neighbors = 10
    /// Scores that differ by less count as equal. If several passages are equally near, each of them is a
    /// correct result.
    private static let tolerance: Float = 1e-6

    /// The scores of the passages that are nearest to each sample, and the time that the search took.
    private struct TimedSearch {
        var scores: [[Float]]
        var duration: Duration
    }

    /// See ``KnowledgeStore/measureRecall(samples:)``.
    @concurrent
    func recall(samples: Int) async throws -> RecallMeasurement? {
        guard try await description()?.hasGraph == true, let directory else { return nil }
        let stamp = try await storage.snapshot().stamp
        guard let file = try PassageFile(in: directory, for: stamp),
            let graph = try file.graph(), samples > 0, file.vectors.count > 1
        else { return nil }
        let step = max(1, file.vectors.count / samples)
        let rows = Array(stride(from: step / 2, to: file.vectors.count, by: step))
        let queries = file.vectors.selecting(rows)
        return try await Self.mappingIndexErrors {
            let exact = try await Self.search(FlatIndex(file.vectors), rows, queries)
            let found = try await Self.search(graph, rows, queries)
            let correct = zip(found.scores, exact.scores).reduce(0) { sum, lists in
                sum + lists.0.count { $0 >= (lists.1.last ?? 0) - Self.tolerance }
            }
            let all = exact.scores.reduce(0) { $0 + $1.count }
            return RecallMeasurement(
                samples: rows.count, recall: Double(correct) / Double(max(1, all)),
                exactMilliseconds: exact.duration / .milliseconds(1) / Double(rows.count),
                graphMilliseconds: found.duration / .milliseconds(1) / Double(rows.count))
        }
    }

    private static func search(
        _ index: some VectorIndex, _ rows: [Int], _ queries: Matrix
    ) async throws -> TimedSearch {
        let start = ContinuousClock.now
        // One more passage than needed is requested, because each sample is the nearest passage to itself.
        let found = try await index.search(queries, k: neighbors + 1, among: nil)
        let duration = ContinuousClock.now - start
        let scores = zip(rows, found).map { row, found in
            found.filter { $0.row != UInt32(row) }.prefix(neighbors).map(\.score)
        }
        return TimedSearch(scores: scores, duration: duration)
    }

    /// Runs `body` and throws errors of index files as `StorageError`.
    private static func mappingIndexErrors<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch  where error is SectionFile.Unusable || error is GraphIndex.Damaged {
            throw StorageError(
                .damaged, "cannot read the search index: \(error)", underlying: error,
                remedy: .rebuildIndex)
        } catch {
            throw StorageError.mapping(error)
        }
    }
}

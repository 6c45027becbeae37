public import Foundation
import RoostFiles
public import RoostModel

/// What is known of a store's index.
public struct IndexDescription: Sendable, Hashable, Encodable {
    /// Entries whose words are in it.
    public var entries: Int
    /// How many different words they have, counting forms of one word once.
    public var terms: Int
    /// Passages whose vectors are in it.
    public var passages: Int
    /// How many numbers each has.
    public var dimension: Int
    /// The size of its files.
    public var bytes: Int
    /// Whether there is a graph for approximate search.
    public var hasGraph: Bool
    /// The state of the store that it was made of.
    public var revision: Revision
    public var createdAt: Date
    /// Entries that were changed or removed since, and that are looked at beside it.
    public var changesSince: Int
}

/// What became of an index that may have to be written anew.
public enum IndexRefresh: Sendable, Hashable {
    /// There is none to be written.
    case current
    case written
    /// Its graph would take longer than somebody waits who adds a few texts.
    case writtenWithoutGraph(passages: Int)
    /// It should be, and takes longer than somebody waits who adds a few texts.
    case due(changes: Int)
}

/// How well a store's graph does on the store's own passages.
public struct RecallMeasurement: Sendable, Hashable, Encodable {
    /// How many passages were looked for.
    public var samples: Int
    /// The share of the ten nearest that was found, 0 to 1.
    public var recall: Double
    /// The time of one passage, of many at once.
    public var exactMilliseconds: Double
    public var graphMilliseconds: Double
}

extension KnowledgeStore {
    /// Writes the store's index anew: the words of all entries and the vectors of all passages in a file
    /// each, which searches map, and for large stores a graph over the vectors. Other processes go on with
    /// the ones that they have; of two that build, the later one stands.
    ///
    /// - Parameters:
    ///   - smallestGraph: the fewest passages of a store that has a graph; below, to compare them all is as
    ///     quick.
    ///   - largestGraph: the most passages.
    /// - Returns: what was written; `nil` where the store is empty.
    /// - Throws: ``RoostError`` with `.configuration` where the store has no folder; ``StorageError``;
    ///   `CancellationError`. The index of before is untouched then.
    /// - Complexity: reads all texts and vectors; the vectors, and about three bytes a word, are in memory.
    @discardableResult
    public func buildIndex(
        smallestGraph: Int = 50_000, largestGraph: Int = .max
    ) async throws -> IndexDescription? {
        guard let directory else {
            throw RoostError(.configuration, "a store without a folder has no place for an index")
        }
        let snapshot = try await storage.snapshot()
        let words = try await TextFile.write(snapshot, in: directory)
        let written = try await PassageFile.write(snapshot, in: directory)
        let count = written?.count ?? 0
        if count < smallestGraph || count > largestGraph {
            // One of other vectors is of no use.
            try await IndexFolder(of: directory).remove(
                PassageFile.graphName, ifStanding: PassageFile.name, isNotNewerThan: snapshot.stamp)
        } else if let file = try? PassageFile(in: directory, for: snapshot.stamp) {
            // Otherwise another builder was quicker, and has written a newer state.
            try await file.buildGraph()
        }
        await catalog.forget()
        await wordCatalog.forget()
        return words == nil ? nil : try await indexDescription()
    }

    /// Writes the index anew where that is worth it: where the store has many entries and none is there, or a
    /// tenth has changed since, and where it takes no longer than about ten seconds on two cores. The index
    /// of a larger store is left as it is, and what has changed is looked at beside it.
    ///
    /// - Parameters:
    ///   - smallest: the fewest entries of a store that has an index.
    ///   - largestGraph: a graph of more passages takes too long.
    /// - Returns: what was done.
    @discardableResult
    public func refreshIndex(
        smallest: Int = 2000, largestGraph: Int = 100_000
    ) async throws -> IndexRefresh {
        guard directory != nil else { return .current }
        let stamp = try await storage.snapshot().stamp
        guard stamp.entryCount >= smallest else { return .current }
        let known = try? await indexDescription()
        if let known {
            if known.changesSince * 10 <= stamp.entryCount { return .current }
            if known.hasGraph, known.passages > largestGraph { return .due(changes: known.changesSince) }
        }
        guard let built = try await buildIndex(largestGraph: largestGraph) else { return .current }
        return built.passages > largestGraph ? .writtenWithoutGraph(passages: built.passages) : .written
    }

    /// How much of what is nearest the store's graph finds: for some of its own passages, the share of their
    /// ten nearest others, found by comparing all, that a search by the graph finds too.
    ///
    /// - Parameter samples: how many passages are looked for, spread over all.
    /// - Returns: `nil` where the store has no graph.
    /// - Throws: as ``indexDescription()``.
    /// - Complexity: O(samples · passages).
    @concurrent
    public func measureRecall(samples: Int = 200) async throws -> RecallMeasurement? {
        guard try await indexDescription()?.hasGraph == true, let directory else { return nil }
        let stamp = try await storage.snapshot().stamp
        guard let file = try PassageFile(in: directory, for: stamp),
            let graph = try file.graph(), samples > 0, file.vectors.count > 1
        else { return nil }
        let step = max(1, file.vectors.count / samples)
        let rows = Array(stride(from: step / 2, to: file.vectors.count, by: step))
        let queries = file.vectors.selecting(rows)
        func nearest(_ index: some VectorIndex) async throws -> ([[Float]], Duration) {
            let start = ContinuousClock.now
            let found = try await index.search(queries, k: 11, among: nil)
            let time = ContinuousClock.now - start
            let others = zip(rows, found).map { row, found in
                found.filter { $0.row != UInt32(row) }.prefix(10).map(\.score)
            }
            return (others, time)
        }
        let ((truth, exactTime), (found, graphTime)) = try await Self.readingIndex {
            (try await nearest(FlatIndex(file.vectors)), try await nearest(graph))
        }
        // Of equally near passages each is as good as the other.
        let right = zip(found, truth).reduce(0) { sum, lists in
            sum + lists.0.count { $0 >= (lists.1.last ?? 0) - 1e-6 }
        }
        let all = truth.reduce(0) { $0 + $1.count }
        return RecallMeasurement(
            samples: rows.count, recall: Double(right) / Double(max(1, all)),
            exactMilliseconds: exactTime / .milliseconds(1) / Double(rows.count),
            graphMilliseconds: graphTime / .milliseconds(1) / Double(rows.count))
    }

    /// What is known of the store's index; `nil` where there is none of this history of the store.
    ///
    /// - Throws: ``StorageError`` with `.damaged` where the file is not as it was written.
    @concurrent
    public func indexDescription() async throws -> IndexDescription? {
        let stamp = try await storage.snapshot().stamp
        guard let directory else { return nil }
        return try await Self.readingIndex {
            // Searches and `roost doctor` look whether all of it is as it was written.
            let file = try PassageFile(in: directory, for: stamp)
            guard let words = try TextFile(in: directory, for: stamp, verifying: false) else { return nil }
            let graph = try file?.graph()
            let oldest = [words.metadata, file?.metadata ?? words.metadata].min { $0.revision < $1.revision }
            let metadata = oldest ?? words.metadata
            let changed = try await storage.changedEntries(after: metadata.cursor)
            let graphBytes = graph.map { $0.count * $0.bytesPerVector } ?? 0
            return IndexDescription(
                entries: words.metadata.count, terms: words.index.termCount,
                passages: file?.metadata.count ?? 0, dimension: file?.metadata.dimension ?? 0,
                bytes: (file?.size ?? 0) + words.size + graphBytes, hasGraph: graph != nil,
                revision: metadata.revision, createdAt: Date(milliseconds: metadata.createdAt),
                changesSince: changed?.ids.count ?? stamp.entryCount)
        }
    }

    /// An index's own errors as a store's.
    private static func readingIndex<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        } catch  where error is SectionFile.Unusable || error is GraphIndex.Damaged {
            throw StorageError(
                .damaged, "\(error); `roost index build` writes it anew", underlying: error)
        }
    }
}

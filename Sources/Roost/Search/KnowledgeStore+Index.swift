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

extension KnowledgeStore {
    /// Writes the store's index anew: the words of all entries and the vectors of all passages in a file
    /// each,
    /// which searches map, and for large stores a graph over the vectors. Other processes go on with the ones
    /// that they have; of two that build, the later one stands.
    ///
    /// - Parameter smallestGraph: the fewest passages of a store that has a graph; below, to compare them all
    ///   is as quick.
    /// - Returns: what was written; `nil` where the store is empty.
    /// - Throws: ``RoostError`` with `.configuration` where the store has no folder; ``StorageError``;
    ///   `CancellationError`. The index of before is untouched then.
    /// - Complexity: reads all texts and vectors; the vectors, and about three bytes a word, are in memory.
    @discardableResult
    public func buildIndex(smallestGraph: Int = 50_000) async throws -> IndexDescription? {
        guard let directory else {
            throw RoostError(.configuration, "a store without a folder has no place for an index")
        }
        let snapshot = try await storage.snapshot()
        let words = try await TextFile.write(snapshot, in: directory)
        let written = try await PassageFile.write(snapshot, in: directory)
        let count = written?.count ?? 0
        if count < smallestGraph {
            // One of other vectors is of no use.
            try await IndexFolder(of: directory).remove(
                PassageFile.graphName, ifStanding: PassageFile.name, isNotNewerThan: snapshot.stamp)
        } else if let file = try? PassageFile(in: directory, for: snapshot.stamp, verifying: false) {
            // Otherwise another builder was quicker, and has written a newer state.
            try await file.buildGraph()
        }
        await catalog.forget()
        await wordCatalog.forget()
        return words == nil ? nil : try await indexDescription()
    }

    /// Writes the index anew where that is worth it: where the store has many passages and none is there, or
    /// much has changed since.
    ///
    /// - Parameter smallest: the fewest entries of a store that has an index.
    /// - Returns: whether it was written.
    @discardableResult
    public func refreshIndex(smallest: Int = 2000) async throws -> Bool {
        guard directory != nil else { return false }
        let stamp = try await storage.snapshot().stamp
        guard stamp.entryCount >= smallest else { return false }
        if let known = try? await indexDescription(), known.changesSince * 10 <= stamp.entryCount {
            return false
        }
        // A graph takes longer than somebody waits who adds a few texts.
        return try await buildIndex(smallestGraph: .max) != nil
    }

    /// What is known of the store's index; `nil` where there is none of this history of the store.
    ///
    /// - Throws: ``StorageError`` with `.damaged` where the file is not as it was written.
    @concurrent
    public func indexDescription() async throws -> IndexDescription? {
        let stamp = try await storage.snapshot().stamp
        guard let directory else { return nil }
        do {
            // Searches and `roost doctor` look whether it is as it was written.
            let file = try PassageFile(in: directory, for: stamp, verifying: false)
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
        } catch let error as SectionFile.Unusable {
            throw StorageError(
                .damaged, "\(error); `roost index build` writes it anew", underlying: error)
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
    }
}

import Foundation
import RoostFiles
public import RoostModel
import RoostVectors

/// The search index of a store: files that searches map, or an index in the database.
public struct StoreIndex: Sendable {
    let store: KnowledgeStore

    /// An index is outdated if more than one in this many entries has changed since it was built.
    private static let maximumChangedShare = 10
    /// The size of the storage, in bytes, from which an index is useful for any number of entries.
    /// Below it, reading all texts and vectors takes a fraction of a second.
    private static let largeStoreSize = 32 << 20
    /// The minimum number of entries that is assumed when the share of changed entries is computed. Without
    /// it, the index of a store with a few large entries would be rebuilt after every change.
    private static let minimumCountForChanges = 500

    /// Builds the search index from the current state of the store and replaces an existing one, whose graph is updated.
    ///
    /// The index consists of files that searches map: the words of all entries, the vectors of all passages,
    /// and for large stores a graph over the vectors. Other processes keep using the files that they have
    /// mapped. If two processes build an index at the same time, the index of the newer state is kept.
    ///
    /// - Parameter graphPassages: The numbers of passages for which a graph is built. For fewer than 50,000,
    ///   comparing all vectors is as fast.
    /// - Returns: A description of the index; `nil` if the store is empty.
    /// - Throws: ``RoostError`` with `.configuration` if the store has no folder; `StorageError`;
    ///   `CancellationError`. An existing index is then unchanged.
    /// - Complexity: Reads all texts and vectors. The vectors, and about three bytes per word, are held in
    ///   memory.
    @discardableResult
    public func build(
        graphPassages: ClosedRange<Int> = minimumGraphPassages ... .max
    ) async throws -> IndexDescription? {
        try await Computation.run { try await write(graphPassages: graphPassages) }
    }

    /// The default minimum number of passages for a graph.
    public static let minimumGraphPassages = 50_000

    private func write(graphPassages: ClosedRange<Int>) async throws -> IndexDescription? {
        guard let folder = store.indexFolder else {
            throw RoostError(.configuration, "cannot build a search index: the store has no folder")
        }
        let snapshot = try await store.storage.snapshot()
        let state = IndexMetadata(of: snapshot.stamp, count: 0)
        let earlier = try? PassageFile(in: folder, for: snapshot.stamp)
        let entries = try await TextFile.write(snapshot, in: folder)
        // The index of vectors in a database is built on request (`buildInDatabase(progress:)`).
        let isLocal = place(in: snapshot) == .client
        let passages = isLocal ? try await PassageFile.write(snapshot, in: folder) : 0
        if !isLocal {
            // Otherwise, its age would decide when the index of words is built again.
            try await folder.remove(PassageFile.name, unlessNewerThan: state)
        }
        if !graphPassages.contains(passages) {
            // An existing index was built over other vectors and can no longer be used.
            try await PassageVectors.removeIndex(in: folder, unlessNewerThan: state)
        } else if let file = try? PassageFile(in: folder, for: snapshot.stamp) {
            // No file is opened, and no index built, if another builder has just written a file of a newer
            // state.
            try await PassageVectors.buildIndex(of: file, from: earlier)
        }
        await store.searchCatalog.reset()
        return entries == 0 ? nil : try await description()
    }

    /// Whether a search with this store has read all entries, because the index was missing, unusable or outdated.
    public var wasMissed: Bool { get async { await store.searchCatalog.hasReadStore() } }

    /// Builds the search index if the store is large (by entries or by its size on disk) and has no index, or
    /// if a tenth of the entries has changed since it was built. If the graph would take longer than about ten
    /// seconds on two cores, the existing index is kept, and searches also read the entries that have changed.
    ///
    /// - Parameters:
    ///   - minimumEntries: The minimum number of entries for which an index is useful.
    ///   - maximumGraphPassages: The maximum number of passages that are inserted into a graph: all passages if there is
    ///     no graph, and otherwise those of changed entries.
    /// - Throws: The errors of ``build(graphPassages:)``.
    @discardableResult
    public func refresh(
        minimumEntries: Int = 2000, maximumGraphPassages: Int = 100_000
    ) async throws -> IndexRefresh {
        guard let directory = store.directory else { return .current }
        let stamp = try await store.storage.snapshot().stamp
        // A few large entries can be as expensive to search as thousands of typical ones.
        guard
            try stamp.entryCount >= minimumEntries
                || StoreManifest.presentSize(in: directory) >= Self.largeStoreSize
        else { return .current }
        // A damaged index is built again, like a missing one.
        var graphPassages = min(Self.minimumGraphPassages, maximumGraphPassages)...maximumGraphPassages
        if let existing = try? await description() {
            let entryCount = max(stamp.entryCount, Self.minimumCountForChanges)
            if existing.changesSince * Self.maximumChangedShare <= entryCount { return .current }
            if existing.hasGraph {
                let changed = existing.changesSince * existing.passages / max(1, existing.entries)
                if changed > maximumGraphPassages { return .due(changes: existing.changesSince) }
                graphPassages = graphPassages.lowerBound ... .max
            }
        }
        guard let built = try await build(graphPassages: graphPassages) else { return .current }
        return built.passages > graphPassages.upperBound
            ? .writtenWithoutGraph(passages: built.passages) : .written
    }

    /// Returns a description of the search index; `nil` if this history of the store has no index.
    ///
    /// - Throws: `StorageError` with `.damaged` if the index is corrupt.
    @concurrent
    public func description() async throws -> IndexDescription? {
        let stamp = try await store.storage.snapshot().stamp
        guard let folder = store.indexFolder else { return nil }
        do {
            let file = try PassageFile(in: folder, for: stamp)
            // The description does not depend on the checksums, which searches and inspections verify.
            guard let words = try TextFile(in: folder, for: stamp, verifying: false) else { return nil }
            let indexSize = try file.flatMap { try PassageVectors(of: $0).indexSize }
            let cursors = [words.metadata, file?.metadata].compactMap(\.self).map(\.cursor)
            let oldest = cursors.min { $0.revision < $1.revision } ?? words.metadata.cursor
            let changed = try await store.storage.changedEntries(after: oldest)
            return IndexDescription(
                entries: words.metadata.count, terms: words.index.termCount,
                passages: file?.metadata.count ?? 0,
                bytes: (file?.size ?? 0) + words.size + (indexSize ?? 0), hasGraph: indexSize != nil,
                changesSince: changed?.ids.count ?? stamp.entryCount)
        } catch let error as SectionFile.Unusable {
            throw StorageError(
                .damaged, "cannot read the search index: \(error)", underlying: error,
                remedy: .rebuildIndex)
        } catch {
            throw StorageError.mapping(error)
        }
    }

    // MARK: In the database

    /// The size of the vectors of entries, in bytes, from which a search runs in the database by default: a
    /// client with an index would read all of them first.
    private static let largeVectorSize = 1 << 30

    /// Returns the place where a search of the current state compares vectors.
    ///
    /// It is ``SearchPlace/client`` for storages that cannot search. Otherwise, it is ``StoreSettings/searchPlace`` or, by
    /// default, the database if the vectors of the entries are larger than 1 GB.
    ///
    /// - Throws: `StorageError`.
    public func place() async throws -> SearchPlace {
        place(in: try await store.storage.snapshot())
    }

    func place(in snapshot: any StorageSnapshot) -> SearchPlace {
        guard snapshot.passageSearch != nil else { return .client }
        if let searchPlace = store.settings.searchPlace { return searchPlace }
        let dimension = min(store.embedder.space.dimension, EmbeddingSpace.maximumDimension)
        let size = snapshot.stamp.entryCount * dimension * MemoryLayout<Float>.size
        return size > Self.largeVectorSize ? .database : .client
    }

    /// Builds the index over all vectors in the database, which all clients use, unless it is complete.
    ///
    /// Until it is built, searches in the database compare all vectors. Other clients can read and write the
    /// store meanwhile.
    ///
    /// - Parameter progress: Receives a description of the step and, if it is known, the finished share of
    ///   the step, from 0 to 1.
    /// - Returns: The state of the index; `nil` if searches do not run in a database.
    /// - Throws: `StorageError`, with `.unsupported` if the database cannot build an index;
    ///   `CancellationError`.
    public func buildInDatabase(
        progress: @escaping @Sendable (String, Double?) -> Void = { _, _ in }
    ) async throws -> PassageIndexState? {
        let snapshot = try await store.storage.snapshot()
        guard let search = snapshot.passageSearch, place(in: snapshot) == .database else {
            return nil
        }
        try await search.buildIndex(progress: progress)
        return try await search.indexState()
    }

    /// Returns the state of the index in the database; `nil` if searches do not run there.
    ///
    /// - Throws: `StorageError`.
    public func databaseState() async throws -> PassageIndexState? {
        let snapshot = try await store.storage.snapshot()
        guard place(in: snapshot) == .database else { return nil }
        return try await snapshot.passageSearch?.indexState()
    }
}

/// The contents, size and age of a store's search index.
public struct IndexDescription: Sendable, Hashable, Encodable {
    /// The number of entries whose words are in the index.
    public var entries: Int
    /// The number of different words; the forms of a word count once.
    public var terms: Int
    /// The number of passages whose vectors are in the index.
    public var passages: Int
    /// The size of the index files in bytes.
    public var bytes: Int
    /// Whether there is a graph for approximate search.
    public var hasGraph: Bool
    /// The number of entries that have been changed or removed since the index was built. Searches read them
    /// in addition to the index.
    public var changesSince: Int
}

/// The outcome of ``StoreIndex/refresh(minimumEntries:maximumGraphPassages:)``.
public enum IndexRefresh: Sendable, Hashable {
    /// The index is recent enough, or the store does not need one.
    case current
    /// The index was built.
    case written
    /// The index was built without a graph, because building a graph over this number of passages would take
    /// too long.
    case writtenWithoutGraph(passages: Int)
    /// The index is outdated by this number of changed entries, but rebuilding it would take too long.
    case due(changes: Int)
}

/// The place where a search compares the vectors of a store on a server.
public enum SearchPlace: String, Sendable, Hashable, Codable, CaseIterable {
    /// On the client, which keeps an index of all vectors and follows the changes of the store.
    case client
    /// In the database. The client keeps only an index of words.
    case database
}

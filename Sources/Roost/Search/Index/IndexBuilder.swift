import Foundation
import RoostModel

/// Builds the index files of a store and decides when that is worth the time.
struct IndexBuilder {
    private let store: KnowledgeStore

    /// An index is outdated if more than one in this many entries has changed since it was built.
    private static let maximumChangedShare = 10
    /// The size of the storage, in bytes, from which an index is useful for any number of entries.
    /// Below it, reading all texts and vectors takes a fraction of a second.
    private static let largeStoreSize = 32 << 20
    /// The minimum number of entries that is assumed when the share of changed entries is computed. Without
    /// it, the index of a store with a few large entries would be rebuilt after every change.
    private static let minimumCountForChanges = 500

    init(_ store: KnowledgeStore) { self.store = store }

    /// See ``KnowledgeStore/buildIndex(minimumGraphPassages:maximumGraphPassages:)``.
    func build(minimumGraphPassages: Int, maximumGraphPassages: Int) async throws -> IndexDescription? {
        guard let directory = store.directory else {
            throw RoostError(.configuration, "cannot build a search index: the store has no folder")
        }
        let snapshot = try await store.storage.snapshot()
        let words = try await TextFile.write(snapshot, in: directory)
        // The index of vectors in a database is built on request (`buildDatabaseIndex(progress:)`).
        let isLocal = store.searchPlace(in: snapshot) == .client
        let passages =
            isLocal ? try await PassageFile.write(snapshot, in: directory)?.count ?? 0 : 0
        if !isLocal {
            // Otherwise, its age would decide when the index of words is built again.
            try await IndexFolder(of: directory).remove(PassageFile.name, unlessNewerThan: snapshot.stamp)
        }
        if passages < minimumGraphPassages || passages > maximumGraphPassages {
            // An existing graph was built over other vectors and can no longer be used.
            try await IndexFolder(of: directory).remove(
                PassageFile.graphName, judgedBy: PassageFile.name, unlessNewerThan: snapshot.stamp)
        } else if let file = try? PassageFile(in: directory, for: snapshot.stamp) {
            // No file is opened, and no graph built, if another builder has just written a file of a newer
            // state.
            try await file.buildGraph()
        }
        await store.searchCatalog.reset()
        return words == nil ? nil : try await IndexInspector(store).description()
    }

    /// See ``KnowledgeStore/refreshIndex(minimumEntries:maximumGraphPassages:)``.
    func refresh(minimumEntries: Int, maximumGraphPassages: Int) async throws -> IndexRefresh {
        guard let directory = store.directory else { return .current }
        let stamp = try await store.storage.snapshot().stamp
        // A few large entries can be as expensive to search as thousands of typical ones.
        guard
            try stamp.entryCount >= minimumEntries
                || StoreManifest.presentSize(in: directory) >= Self.largeStoreSize
        else { return .current }
        // A damaged index is built again, like a missing one.
        if let existing = try? await IndexInspector(store).description() {
            let entryCount = max(stamp.entryCount, Self.minimumCountForChanges)
            if existing.changesSince * Self.maximumChangedShare <= entryCount { return .current }
            if existing.hasGraph, existing.passages > maximumGraphPassages {
                return .due(changes: existing.changesSince)
            }
        }
        let built = try await store.buildIndex(maximumGraphPassages: maximumGraphPassages)
        guard let built else { return .current }
        return built.passages > maximumGraphPassages
            ? .writtenWithoutGraph(passages: built.passages) : .written
    }
}

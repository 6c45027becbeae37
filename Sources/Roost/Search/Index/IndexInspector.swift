import Foundation
import RoostFiles
import RoostModel
import RoostVectors

/// Describes the index files of a store.
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

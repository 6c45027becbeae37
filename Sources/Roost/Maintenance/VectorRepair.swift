import RoostModel

/// Recomputes the vectors of entries whose stored vectors are invalid.
struct VectorRepair {
    let store: KnowledgeStore

    /// The number of entries that are embedded and committed at once.
    private static let batchSize = 256

    /// Embeds the entries with the given ids again, in several commits. Ids that the store does not contain
    /// are ignored.
    ///
    /// An entry that another process changes or removes in the meantime keeps that change.
    ///
    /// - Returns: The number of entries with new vectors.
    /// - Throws: `EmbedderError`; `StorageError`; `CancellationError`.
    func embedAgain(_ ids: [Entry.ID]) async throws -> Int {
        var count = 0
        for start in stride(from: 0, to: ids.count, by: Self.batchSize) {
            try Task.checkCancellation()
            count += try await embedBatch(Array(ids[start..<min(ids.count, start + Self.batchSize)]))
        }
        return count
    }

    private func embedBatch(_ ids: [Entry.ID]) async throws -> Int {
        try await ConflictRetry.standard.run {
            let snapshot = try await store.storage.snapshot()
            let entries = try await snapshot.entries(ids)
            guard !entries.isEmpty else { return 0 }
            var report = IngestReport()
            let texts = entries.map { entry in
                var entry = entry
                (entry.embeddings, entry.passages) = ([], [])
                return entry
            }
            var batch = WriteBatch(
                upserts: try await store.entryEmbedder.embed(texts, reusing: nil, &report))
            batch.expecting.revision = snapshot.stamp.revision
            _ = try await store.storage.commit(batch)
            return entries.count
        }
    }
}

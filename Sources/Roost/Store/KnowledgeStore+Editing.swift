public import Foundation
public import RoostModel

extension KnowledgeStore {
    /// Puts another text in the place of an entry's; its id, source, metadata and tags stay.
    ///
    /// - Parameter expecting: the revision that the caller saw the entry at.
    /// - Throws: ``RoostError`` with `.badInput` for an empty text; ``StorageError`` with `.conflict` where
    ///   the entry was changed meanwhile.
    public func replaceContent(
        of entry: Entry, with content: String, expecting revisions: [Entry.ID: Revision] = [:]
    ) async throws {
        guard !content.allSatisfy(\.isWhitespace) else {
            throw RoostError(.badInput, "the new text is empty; `roost remove` removes an entry")
        }
        var changed = entry
        changed.content = content
        changed.embeddings = []
        changed.passages = []
        changed.updatedAt = Date()
        var report = IngestReport()
        let upserts = try await embedded([changed], known: [:], &report)
        for attempt in 1... {
            var batch = WriteBatch(upserts: upserts, expecting: .init(entries: revisions))
            var placing = IngestPlacing()
            try await placing.place([entry.id], in: &batch, try await storage.snapshot())
            do {
                _ = try await storage.commit(batch)
                return
            } catch let error as StorageError
                where error.code == .conflict && batch.expecting.clusters != nil && attempt < 20
            {
                // Of the clusters it may be, which are looked at anew; of the entry it will be again.
                guard try await storage.snapshot().revisions(of: Array(revisions.keys)) == revisions else {
                    throw error
                }
            }
        }
    }

    /// Puts a tag on entries, or takes it off.
    ///
    /// - Returns: how many entries changed.
    /// - Throws: ``RoostError`` with `.notFound`, and nothing has changed then.
    public func setTag(_ tag: String, on ids: [Entry.ID], isPresent: Bool) async throws -> Int {
        for attempt in 1... {
            let snapshot = try await storage.snapshot()
            let entries = try await snapshot.entries(ids)
            let found = Set(entries.map(\.id))
            if let missing = ids.first(where: { !found.contains($0) }) {
                throw RoostError(.notFound, "there is no entry \(missing.text); nothing was changed")
            }
            var seen = Set<UUID>()
            let changed = entries.filter { $0.tags.contains(tag) != isPresent && seen.insert($0.id).inserted }
                .map { entry in
                    var entry = entry
                    if isPresent { entry.tags.append(tag) } else { entry.tags.removeAll { $0 == tag } }
                    entry.updatedAt = Date()
                    return entry
                }
            let revisions = try await snapshot.revisions(of: changed.map(\.id))
            do {
                _ = try await storage.commit(
                    WriteBatch(upserts: changed, expecting: .init(entries: revisions)))
                return changed.count
            } catch let error as StorageError where error.code == .conflict && attempt < 20 {
                continue
            }
        }
        preconditionFailure("the last attempt returns or throws")
    }
}

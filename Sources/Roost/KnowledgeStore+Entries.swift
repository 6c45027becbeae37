public import Foundation
public import RoostModel

extension KnowledgeStore {
    // MARK: Adding

    /// Adds a text unless the store contains an equal text: one that was added before, the new text of a
    /// changed entry, or the whole text of an ingested entry. The equal entry gets the tags and metadata.
    /// Messages of conversations do not count.
    ///
    /// - Returns: The entry, and whether it is new.
    /// - Throws: ``RoostError`` with `.badInput` for an empty or too large text, or for metadata that stores
    ///   reject; `EmbedderError`; `StorageError`.
    @discardableResult
    public func add(
        _ content: String, tags: [String] = [], metadata: [String: MetadataValue] = [:]
    ) async throws -> AddedEntry {
        try await TextAddition.run(content, tags: tags, metadata: metadata, to: self)
    }

    /// Adds a text with a key, or replaces the text of the entry with this key.
    ///
    ///     try await store.add("milk, bread", key: "shopping list")
    ///     try await store.add("milk, bread, tea", key: "shopping list")   // the same entry
    ///
    /// The entry keeps its id, its dates of creation, and its tags and metadata; those of the call are added.
    ///
    /// - Parameter key: The name of the text, of at most 1,000 bytes. `EntryID/added(withKey:)` is the id of its entry.
    /// - Returns: The entry, and whether it is new.
    /// - Throws: ``RoostError`` with `.badInput` for an empty or too large text, an invalid key, or metadata
    ///   that stores reject; `EmbedderError`; `StorageError`.
    @discardableResult
    public func add(
        _ content: String, key: String, tags: [String] = [], metadata: [String: MetadataValue] = [:]
    ) async throws -> AddedEntry {
        try await TextAddition.run(content, key: key, tags: tags, metadata: metadata, to: self)
    }

    // MARK: Ingesting

    /// Ingests sources by comparing them with the store: unchanged entries stay as they are, changed entries
    /// are updated, and entries that vanished from a source are removed. Ingesting the same input twice
    /// changes nothing.
    ///
    /// - **Atomicity**: Commits take place every few hundred entries. The removals of a source and its record
    ///   are part of its last commit.
    /// - **Cancellation**: Committed entries stay in the store; the next ingest of the same input resumes
    ///   there.
    /// - Parameter sources: The sources, which are requested one by one.
    /// - Throws: `StorageError`; `EmbedderError`; `CancellationError`.
    @discardableResult
    public func ingest(
        _ sources: some Sequence<SourceDraft>, _ options: IngestOptions = IngestOptions()
    ) async throws -> IngestReport {
        var iterator = sources.makeIterator()
        return try await ingest(options) { iterator.next() }
    }

    /// Ingests sources that are read while the ingest runs, as ``ingest(_:_:)-(Sequence<SourceDraft>,_)``
    /// does.
    ///
    /// - Parameter next: Returns the next source; `nil` after the last one. It is called when the previous source
    ///   has been compared with the store.
    /// - Throws: The errors of `next`; `StorageError`; `EmbedderError`; `CancellationError`. The entries of
    ///   the sources before an error may be in the store.
    @discardableResult
    public func ingest(
        _ options: IngestOptions = IngestOptions(), from next: () async throws -> SourceDraft?
    ) async throws -> IngestReport {
        try await Ingestor.run(into: self, options, next: next)
    }

    /// Ingests the documents below a folder, as ``ingest(_:_:)-(Sequence<SourceDraft>,_)`` does.
    ///
    ///     let report = try await store.ingest(folder: notes, pruning: true) { progress in
    ///         print("\(progress.entries) entries")
    ///     }
    ///
    /// Each document becomes one entry, and so does each row of a JSON Lines, CSV or TSV file. Files that
    /// cannot be read are skipped and reported. Entries of renamed and moved files keep their ids. For a folder
    /// that is ingested again and again, ``StoreFolders/sync(_:_:)`` is faster: it does not read unchanged files.
    ///
    /// - Parameters:
    ///   - folder: A folder, or a single file.
    ///   - pruning: Whether to remove the entries of files that no longer exist below the folder.
    ///   - finder: Selects the files, among those whose types the readers of `reader` support.
    /// - Throws: ``RoostError`` with `.noInput` if the folder does not exist; `StorageError`;
    ///   `EmbedderError`; `CancellationError`.
    @concurrent @discardableResult
    public func ingest(
        folder: URL, pruning: Bool = false, finder: FileFinder = FileFinder(),
        reader: RecordReader = RecordReader(), progress: (@Sendable (IngestProgress) -> Void)? = nil
    ) async throws -> IngestReport {
        try await folders.ingest(folder, pruning: pruning, finder, reader, progress)
    }

    // MARK: Changing and removing

    /// Changes the text, the tags and the metadata of an entry.
    ///
    /// - Parameter expected: The revision of the entry when it was read (`StorageSnapshot/revisions(of:)`); the
    ///   call fails if the entry has changed since then. If it is `nil`, the changes are applied to the current
    ///   state.
    /// - Returns: The changed entry.
    /// - Atomicity: All changes are made in one commit. If another process changes the entry at the same
    ///   time, they are applied to its new state, unless `expected` is given.
    /// - Throws: ``RoostError`` with `.notFound` if the store does not contain the entry, or with `.badInput`
    ///   if the new text is empty; `EmbedderError`; `StorageError`, with `.conflict` if the entry does not
    ///   have the expected revision.
    @discardableResult
    public func update(
        _ id: Entry.ID, _ changes: EntryChanges, expecting expected: Revision? = nil
    ) async throws -> Entry {
        if let content = changes.content, content.allSatisfy(\.isWhitespace) {
            throw RoostError(
                .badInput, "cannot change entry \(id.text): the new text is empty", remedy: .removeEntry)
        }
        if let reason = changes.content.flatMap(TextParts.refusal) {
            throw RoostError(.badInput, "cannot change entry \(id.text): \(reason)")
        }
        return try await storage.commitChange { snapshot in
            guard let entry = try await snapshot.entries([id]).first else {
                throw RoostError(.notFound, "cannot change entry \(id.text): it was not found")
            }
            let revisions = try await snapshot.revisions(of: [id])
            if let expected, revisions[id] != expected { throw Self.hasChanged(id) }
            var changed = changes.applied(to: entry)
            let hasNewText = changes.content.map { !$0.utf8.elementsEqual(entry.content.utf8) } ?? false
            if hasNewText, let content = changes.content {
                changed.setContent(content)
                if let links = changes.metadata[DocumentKey.links], links != .null {
                    changed.metadata[DocumentKey.links] = links
                }
            }
            guard changed != entry else { return (WriteBatch(), entry) }
            changed.updatedAt = Date()
            var batch = WriteBatch(upserts: [changed], expecting: .init(entries: revisions))
            if hasNewText {
                var report = IngestReport()
                batch.upserts = try await entryEmbedder.embed([changed], reusing: nil, &report)
                var placing = BatchPlacement(of: self)
                try await placing.assign([id], in: &batch, snapshot)
            }
            return (batch, batch.upserts[0])
        } recoveringWith: { _ in
            // If the entry still has the expected revision, the conflict was about the clusters.
            guard let expected else { return true }
            return try await storage.snapshot().revisions(of: [id])[id] == expected
        }
    }

    /// Removes an entry. It is not an error if the store does not contain it.
    ///
    /// - Parameter expected: The revision of the entry when it was read (`StorageSnapshot/revisions(of:)`);
    ///   `nil` for any revision.
    /// - Returns: The number of entries that were removed, 0 or 1.
    /// - Throws: `StorageError`, with `.conflict` if the entry does not have the expected revision.
    @discardableResult
    public func remove(_ id: Entry.ID, expecting expected: Revision? = nil) async throws -> Int {
        guard let expected else { return try await remove([id], sources: []) }
        guard let revision = try await storage.snapshot().revisions(of: [id])[id] else { return 0 }
        guard revision == expected else { throw Self.hasChanged(id) }
        let batch = WriteBatch(removals: [id], expecting: .init(entries: [id: expected]))
        _ = try await storage.commit(batch)
        return 1
    }

    private static func hasChanged(_ id: Entry.ID) -> StorageError {
        StorageError(.conflict, "cannot change entry \(id.text): it has changed since it was read")
    }

    /// The maximum number of entries that one commit changes or removes, which bounds its memory.
    private static let maximumCommit = 1000

    /// Changes the tags and the metadata of entries. A commit changes at most 1,000 of them.
    ///
    ///     try await store.update(ids, EntryChanges(addedTags: ["birds"], removedTags: ["draft"]))
    ///
    /// - Parameter changes: The changes, which cannot contain a text.
    /// - Returns: The number of entries that changed.
    /// - Throws: ``RoostError`` with `.notFound` if the store lacks one of the entries, and with `.badInput`
    ///   if an added tag consists of white space; nothing changes in both cases. `StorageError`. An entry that is
    ///   removed during the call is omitted.
    @discardableResult
    public func update(_ ids: [Entry.ID], _ changes: EntryChanges) async throws -> Int {
        precondition(changes.content == nil, "the text of several entries cannot be changed at once")
        guard changes.addedTags.allSatisfy({ TagName.spelling(of: $0) != nil }) else {
            throw RoostError(.badInput, "cannot add the tag: it is empty")
        }
        let known = try await storage.snapshot().revisions(of: ids)
        if let missing = ids.first(where: { known[$0] == nil }) {
            throw RoostError(
                .notFound, "cannot change entry \(missing.text): it was not found; nothing was changed")
        }
        var seen = Set<Entry.ID>()
        return try await apply(changes, to: ids.filter { seen.insert($0).inserted })
    }

    /// Changes the tags and the metadata of those entries that the store contains, and returns the number of
    /// entries that changed.
    func apply(_ changes: EntryChanges, to ids: [Entry.ID]) async throws -> Int {
        var count = 0
        for part in ids.groups(of: Self.maximumCommit) {
            count += try await storage.commitChange { snapshot in
                let changed = try await snapshot.entries(part).compactMap { entry -> Entry? in
                    var changed = changes.applied(to: entry)
                    guard changed != entry else { return nil }
                    changed.updatedAt = Date()
                    return changed
                }
                let revisions = try await snapshot.revisions(of: changed.map(\.id))
                return (WriteBatch(upserts: changed, expecting: .init(entries: revisions)), changed.count)
            }
        }
        return count
    }

    /// Removes entries, and optionally the records of their sources. A commit removes at most 1,000 entries, and
    /// the last one the records.
    ///
    /// Ids that the store does not contain are ignored.
    ///
    /// - Parameter sources: The ids of source records to remove. The next ingest treats a source without a record
    ///   as new.
    /// - Returns: The number of entries that were removed.
    /// - Throws: `StorageError`.
    @discardableResult
    public func remove(_ ids: [Entry.ID], sources: [Source.ID] = []) async throws -> Int {
        let count = try await storage.snapshot().revisions(of: ids).count
        let parts = ids.groups(of: Self.maximumCommit)
        for part in parts.dropLast() {
            try Task.checkCancellation()
            _ = try await storage.commit(WriteBatch(removals: part))
        }
        _ = try await storage.commit(WriteBatch(removals: parts.last ?? [], removedSources: sources))
        return count
    }

    /// Removes the entries that match a filter. A commit removes at most 1,000 of them.
    ///
    /// - Returns: The number of entries that were removed.
    /// - Throws: `StorageError`.
    @discardableResult
    public func remove(matching filter: EntryFilter) async throws -> Int {
        var count = 0
        return try await ConflictRetry.standard.run {
            // An entry that changes meanwhile may no longer match.
            let snapshot = try await storage.snapshot()
            // An undo restores the entries in the order of the removals.
            let ids = try await snapshot.ids(matching: filter)
            let revisions = try await snapshot.revisions(of: ids)
            for part in ids.groups(of: Self.maximumCommit) {
                let expected = Dictionary(uniqueKeysWithValues: part.map { ($0, revisions[$0] ?? .zero) })
                _ = try await storage.commit(
                    WriteBatch(removals: part, expecting: .init(entries: expected)))
                count += part.count
            }
            return count
        }
    }

    /// Removes entries, and sources with all their entries. This includes entries that are added to the sources
    /// meanwhile. The last commit removes the records of the sources; earlier ones remove at most 1,000 entries.
    ///
    /// - Returns: The number of entries that were removed; `nil` if there is neither a record nor an entry.
    package func remove(_ selection: RemovalSelection) async throws -> Int? {
        let all = try await selection.contents(of: storage.snapshot()).entries
        var count = 0
        if all.count > Self.maximumCommit { count = try await remove(all) }
        let removed = count
        return try await storage.commitChange { snapshot in
            let found = try await selection.contents(of: snapshot)
            guard !found.isEmpty else { return (WriteBatch(), removed == 0 ? nil : removed) }
            // An ingest in between could add entries, which would stay without the record of their source.
            let stamp = snapshot.stamp
            let batch = WriteBatch(
                removals: found.entries, removedSources: found.sources,
                expecting: .init(epoch: stamp.epoch, revision: stamp.revision))
            return (batch, removed + found.entries.count)
        }
    }

    // MARK: Reading

    /// Returns an entry; `nil` if the store does not contain it.
    ///
    /// - Throws: `StorageError`.
    public func entry(_ id: Entry.ID) async throws -> Entry? {
        try await storage.snapshot().entries([id]).first
    }

    /// Returns the number of entries that match a filter.
    ///
    /// - Throws: `StorageError`.
    public func count(matching filter: EntryFilter = .all) async throws -> Int {
        let snapshot = try await storage.snapshot()
        return filter.matchesAll
            ? snapshot.stamp.entryCount : try await snapshot.rows(matching: filter).count
    }

    /// Returns the entries that match a filter, oldest first.
    ///
    ///     for try await entry in store.entries(matching: [.tag("draft")]) {
    ///         print(entry.content)
    ///     }
    ///
    /// Entries are read page by page, but all belong to one revision: the current one when an iterator's
    /// first entry is requested. The iterator throws `StorageError` or `CancellationError`.
    public func entries(matching filter: EntryFilter = .all) -> EntrySequence {
        storage.allEntries(matching: filter)
    }

    /// Returns the changes of the store as they are committed, including changes by other processes.
    ///
    /// - Parameter cursor: The position after which changes are returned. `.start` returns every existing
    ///   entry first; `nil` returns only changes after the call.
    /// - Throws: `StorageError`, but only if `cursor` is `nil`. The iterators of the sequence throw the
    ///   errors of reading.
    public func changes(after cursor: ChangeCursor? = nil) async throws -> ChangeBatches {
        let start = if let cursor { cursor } else { try await storage.snapshot().stamp.cursor }
        return storage.changeBatches(after: start)
    }
}

import Foundation
import RoostDocuments
import RoostModel

/// Changes and removes entries at the request of a caller, without an ingest.
struct EntryEditor {
    let store: KnowledgeStore

    private var storage: any StorageProvider { store.storage }

    private static func checkSize(of content: String, _ id: Entry.ID) throws {
        guard let reason = TextParts.refusal(of: content) else { return }
        throw RoostError(.badInput, "cannot change entry \(id.text): \(reason)")
    }

    /// Changes the text, the tags and the metadata of an entry in one commit.
    ///
    /// If another process changes the entry at the same time, the changes are applied to its new state.
    ///
    /// - Returns: The changed entry.
    func update(
        _ id: Entry.ID, _ changes: EntryChanges, expecting expected: Revision? = nil
    ) async throws -> Entry {
        if let content = changes.content, content.allSatisfy(\.isWhitespace) {
            throw RoostError(
                .badInput, "cannot change entry \(id.text): the new text is empty", remedy: .removeEntry)
        }
        if let content = changes.content { try Self.checkSize(of: content, id) }
        return try await ConflictRetry.standard.run {
            let snapshot = try await storage.snapshot()
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
            guard changed != entry else { return entry }
            changed.updatedAt = Date()
            var report = IngestReport()
            if hasNewText {
                changed = try await store.entryEmbedder.embed([changed], reusing: nil, &report)[0]
            }
            var batch = WriteBatch(upserts: [changed], expecting: .init(entries: revisions))
            if hasNewText {
                var placing = BatchPlacement(of: store)
                try await placing.assign([id], in: &batch, snapshot)
            }
            _ = try await storage.commit(batch)
            return changed
        } recoveringWith: { _ in
            // If the entry still has the expected revision, the conflict was about the clusters.
            guard let expected else { return true }
            return try await storage.snapshot().revisions(of: [id])[id] == expected
        }
    }

    func remove(_ id: Entry.ID, expecting expected: Revision?) async throws -> Int {
        guard let expected else { return try await remove([id], sources: []) }
        guard let revision = try await storage.snapshot().revisions(of: [id])[id] else { return 0 }
        guard revision == expected else { throw Self.hasChanged(id) }
        let batch = WriteBatch(removals: [id], expecting: .init(entries: [id: expected]))
        _ = try await storage.commit(batch)
        return 1
    }

    private static func hasChanged(_ id: Entry.ID) -> StorageError {
        .conflict("cannot change entry \(id.text): it has changed since it was read")
    }

    /// Changes the tags and the metadata of entries in one commit.
    ///
    /// - Returns: The number of entries that changed.
    func update(_ ids: [Entry.ID], _ changes: EntryChanges) async throws -> Int {
        precondition(changes.content == nil, "the text of several entries cannot be changed at once")
        guard changes.addedTags.allSatisfy({ TagName.spelling(of: $0) != nil }) else {
            throw RoostError(.badInput, "cannot add the tag: it is empty")
        }
        return try await ConflictRetry.standard.run {
            let snapshot = try await storage.snapshot()
            let entries = try await snapshot.entries(ids)
            let found = Set(entries.map(\.id))
            if let missing = ids.first(where: { !found.contains($0) }) {
                throw RoostError(
                    .notFound, "cannot change entry \(missing.text): it was not found; nothing was changed")
            }
            var seen = Set<Entry.ID>()
            let changed = entries.compactMap { entry -> Entry? in
                var changed = changes.applied(to: entry)
                guard changed != entry, seen.insert(entry.id).inserted else { return nil }
                changed.updatedAt = Date()
                return changed
            }
            let revisions = try await snapshot.revisions(of: changed.map(\.id))
            _ = try await storage.commit(WriteBatch(upserts: changed, expecting: .init(entries: revisions)))
            return changed.count
        }
    }

    /// Removes entries and source records in one commit.
    ///
    /// - Returns: The number of entries that were removed.
    func remove(_ ids: [Entry.ID], sources: [Source.ID]) async throws -> Int {
        let count = try await storage.snapshot().revisions(of: ids).count
        _ = try await storage.commit(WriteBatch(removals: ids, removedSources: sources))
        return count
    }

    /// Removes entries, and sources with their records and entries, in one commit.
    ///
    /// - Returns: The number of entries that were removed; `nil` if there is neither a record nor an entry.
    func remove(_ selection: RemovalSelection) async throws -> Int? {
        try await ConflictRetry.standard.run {
            let snapshot = try await storage.snapshot()
            let found = try await selection.contents(of: snapshot)
            guard !found.isEmpty else { return nil }
            // An ingest in between could add entries, which would stay without the record of their source.
            let stamp = snapshot.stamp
            let batch = WriteBatch(
                removals: Array(found.entries), removedSources: found.sources,
                expecting: .init(epoch: stamp.epoch, revision: stamp.revision))
            _ = try await storage.commit(batch)
            return found.entries.count
        }
    }

    /// Removes all entries that match a filter, in one commit.
    ///
    /// - Returns: The number of entries that were removed.
    func remove(matching filter: EntryFilter) async throws -> Int {
        try await ConflictRetry.standard.run {
            let snapshot = try await storage.snapshot()
            var ids: [Entry.ID] = []
            for try await page in snapshot.headerPages(matching: filter) { ids += page.headers.map(\.id) }
            guard !ids.isEmpty else { return 0 }
            // An entry that changes meanwhile may no longer match.
            let revisions = try await snapshot.revisions(of: ids)
            _ = try await storage.commit(WriteBatch(removals: ids, expecting: .init(entries: revisions)))
            return ids.count
        }
    }
}

extension Entry {
    /// Replaces the text. The vectors are removed, and the links of the old text are replaced with those of
    /// the new one, as is a title that was read from the old text. If both texts have front matter, the same
    /// applies to its tags and values.
    fileprivate mutating func setContent(_ text: String) {
        readStructure()
        let (oldText, old) = (content, structure ?? TextStructure())
        (content, embeddings, passages) = (text, [], [])
        let new = TextStructure(of: text, format: old.format)
        structure = new
        if let title = metadata[DocumentKey.title]?.string, title == old.title {
            metadata[DocumentKey.title] = new.title.map { .string($0) }
        }
        if old.format == .markdown, old.bodyStart > 0, new.bodyStart > 0 {
            setProperties(from: MarkdownReader.document(oldText), to: MarkdownReader.document(text))
        }
        let oldLinks = Set(old.links.compactMap(\.metadataText))
        let newLinks = new.links.compactMap(\.metadataText)
        let value = metadata[DocumentKey.links]
        let stored: [MetadataValue] = if case .array(let values) = value { values } else { [] }
        // The links of texts that did not come from files are not recorded, unless a program has set them. A
        // value that is not an array of texts belongs to the user.
        guard oldLinks != Set(newLinks), stored.allSatisfy({ $0.string != nil }),
            value == nil ? sourcePath != nil : !stored.isEmpty
        else { return }
        // Links that are not in the text, such as the relations of an imported memory, stay.
        let removed = oldLinks.subtracting(newLinks)
        let kept = stored.compactMap(\.string).filter { !removed.contains($0) }
        var seen: Set<String> = []
        let links = (kept + newLinks).filter { seen.insert($0).inserted }
        metadata[DocumentKey.links] = links.isEmpty ? nil : .array(links.map { .string($0) })
    }

    /// Replaces the tags and values that are those of the old text. Others were changed separately and stay.
    private mutating func setProperties(from old: Document, to new: Document) {
        let (before, after) = (Set(old.tags.map { TagName($0) }), Set(new.tags.map { TagName($0) }))
        tags.removeAll { before.contains(TagName($0)) && !after.contains(TagName($0)) }
        let present = Set(tags.map { TagName($0) })
        tags += new.tags.filter { !before.contains(TagName($0)) && !present.contains(TagName($0)) }
        let derived: Set = [DocumentKey.title, DocumentKey.links, DocumentKey.unreadParts]
        let (oldValues, newValues) = (DocumentDrafts.metadata(of: old), DocumentDrafts.metadata(of: new))
        for key in Set(oldValues.keys).union(newValues.keys).subtracting(derived)
        where metadata[key] == oldValues[key] {
            metadata[key] = newValues[key]
        }
    }
}

import Foundation
import RoostChunks
import RoostFiles
import RoostModel

/// One ingest under way: what waits for the next commit, and what has been done.
struct Ingest {
    let store: KnowledgeStore
    let options: IngestOptions
    var report = IngestReport()
    private var toEmbed: [Entry] = []
    private var batch = WriteBatch()
    private var pendingBytes = 0
    private var progress = IngestProgress()
    private var taken = Set<Source.ID>()
    private var placing = IngestPlacing()
    /// Keeps documents that no record names yet.
    private var keeping: FileLock?

    init(store: KnowledgeStore, options: IngestOptions) {
        self.store = store
        self.options = options
    }

    mutating func take(_ draft: SourceDraft) async throws {
        // A source that comes twice is compared with what its first time wrote.
        if !taken.insert(draft.id).inserted { try await flush() }
        try await keepOriginal(of: draft)
        var snapshot = try await store.storage.snapshot()
        let record = try await snapshot.sources([draft.id]).first
        if draft.isComplete, let record, record.fingerprint == draft.fingerprint, !record.entryIDs.isEmpty {
            try await tag(record.entryIDs, snapshot)
            progress.sources += 1
            return
        }
        var entries = identified(draft)
        if !draft.isComplete { entries = try await withFreeIDs(entries, of: draft, snapshot) }
        if draft.isComplete, record == nil, entries.count > 1 {
            // So that what a killed ingest leaves can be told to be of this source.
            batch.sources.append(Source(id: draft.id, fingerprint: ""))
        }
        for start in stride(from: 0, to: entries.count, by: step) {
            let end = min(entries.count, start + step)
            try await compare(entries[start..<end], snapshot, isStream: !draft.isComplete)
            progress.fractionOfNextSource = Double(end) / Double(entries.count)
            if isDue {
                try await flush()
                // A snapshot that is held long keeps the storage from tidying up.
                snapshot = try await store.storage.snapshot()
            }
        }
        if isDue { try await flush() }
        if draft.isComplete {
            let present = Set(entries.map(\.id))
            let known = try await knownIDs(draft.id, record, snapshot)
            let vanished = known.filter { !present.contains($0) }
            batch.removals += vanished
            report.removed += vanished.count
            batch.sources.removeAll { $0.id == draft.id }
            batch.sources.append(Source(id: draft.id, fingerprint: draft.fingerprint))
        }
        progress.sources += 1
        progress.fractionOfNextSource = 0
        if batch.removals.count + batch.sources.count >= options.batchSize { try await flush() }
    }

    /// Before anything is committed that names it.
    private mutating func keepOriginal(of draft: SourceDraft) async throws {
        guard let document = draft.original else { return }
        let record = Source(id: draft.id, fingerprint: draft.fingerprint)
        guard record.documentDigest == ChunkIdentifier(hashing: document).id else {
            throw RoostError(
                .badInput, "the fingerprint of \(draft.id) is not that of its document, which cannot be kept")
        }
        guard let originals = store.originals else {
            throw RoostError(.configuration, "a store without a folder cannot keep documents")
        }
        guard !options.isDryRun else { return }
        if keeping == nil { keeping = try await originals.use() }
        try await originals.keep(document)
    }

    /// Puts the tags that were asked for on entries whose source has not changed, and changes nothing else.
    private mutating func tag(_ ids: [Entry.ID], _ snapshot: any StorageSnapshot) async throws {
        guard !options.tags.isEmpty else {
            report.unchanged += ids.count
            progress.entries += ids.count
            return
        }
        let wanted = Set(options.tags)
        for start in stride(from: 0, to: ids.count, by: step) {
            try Task.checkCancellation()
            let part = Array(ids[start..<min(ids.count, start + step)])
            let lacking = try await snapshot.entries(part).filter { !wanted.isSubset(of: $0.tags) }.map(\.id)
            if !options.isDryRun {
                for tag in wanted.sorted() { try await put(tag, on: lacking) }
            }
            report.updated += lacking.count
            report.unchanged += part.count - lacking.count
            progress.entries += part.count
            options.progress?(progress)
        }
    }

    private func put(_ tag: String, on ids: [Entry.ID]) async throws {
        do {
            _ = try await store.setTag(tag, on: ids, isPresent: true)
        } catch let error as RoostError where error.code == .notFound && ids.count > 1 {
            // One was removed meanwhile: the others one by one.
            for id in ids { try await put(tag, on: [id]) }
        } catch let error as RoostError where error.code == .notFound {
            return
        }
    }

    /// How many entries are looked at together: few enough for a commit every few seconds.
    private var step: Int { min(options.batchSize, 64) }

    /// Whether what waits is enough for a commit: so many entries, or so much text to embed.
    private var isDue: Bool {
        toEmbed.count + batch.upserts.count >= options.batchSize || pendingBytes >= options.batchBytes
    }

    private func knownIDs(
        _ source: String, _ record: Source?, _ snapshot: any StorageSnapshot
    ) async throws -> [Entry.ID] {
        if let record { return record.entryIDs }
        // No record: a first ingest, or one that was stopped before its end.
        var ids: [UUID] = []
        var row: UInt32?
        repeat {
            let page = try await snapshot.entries(
                after: row, limit: 1000, matching: EntryFilter(sources: [source]))
            ids += page.entries.map(\.id)
            row = page.next
        } while row != nil
        return ids
    }

    /// Drafts as entries with their ids, without vectors.
    private mutating func identified(_ draft: SourceDraft) -> [Entry] {
        var occurrences: [ContentDigest: Int] = [:]
        var seen = Set<UUID>()
        var entries: [Entry] = []
        for item in draft.entries {
            let name = draft.id.hasPrefix("file:") ? URL(string: draft.id)?.path ?? draft.id : draft.id
            let place = item.place.map { "\(name), \($0)" } ?? name
            guard !item.content.allSatisfy(\.isWhitespace) else {
                report.skipped.append(.init(source: place, reason: "empty text"))
                continue
            }
            let key: String
            if let given = item.key {
                key = given
            } else {
                let digest = ContentDigest(of: item.content)
                key = EntryID.contentKey(digest, occurrence: occurrences[digest, default: 0])
                occurrences[digest, default: 0] += 1
            }
            let id = EntryID.derived(source: draft.id, key: key)
            guard seen.insert(id).inserted else {
                report.skipped.append(.init(source: place, reason: "another row has the same id"))
                continue
            }
            entries.append(
                Entry(
                    id: id, content: item.content, source: draft.id, key: key, metadata: item.metadata,
                    tags: item.tags + options.tags))
        }
        return entries
    }

    /// A text that people have edited is not put back by the same text coming again: that is another entry.
    private func withFreeIDs(
        _ entries: [Entry], of draft: SourceDraft, _ snapshot: any StorageSnapshot
    ) async throws -> [Entry] {
        var entries = entries
        for index in entries.indices where entries[index].key?.hasPrefix("sha256:") == true {
            let entry = entries[index]
            let digest = ContentDigest(of: entry.content)
            for occurrence in 0... {
                let key =
                    occurrence == 0 ? entry.key ?? "" : EntryID.contentKey(digest, occurrence: occurrence)
                let id = EntryID.derived(source: draft.id, key: key)
                let old = try await snapshot.entries([id]).first
                guard let old, !old.content.utf8.elementsEqual(entry.content.utf8) else {
                    if occurrence > 0 { (entries[index].id, entries[index].key) = (id, key) }
                    break
                }
            }
        }
        return entries
    }

    private mutating func compare(
        _ entries: ArraySlice<Entry>, _ snapshot: any StorageSnapshot, isStream: Bool
    ) async throws {
        let ids = entries.map(\.id)
        let stored = Dictionary(try await snapshot.entries(ids).map { ($0.id, $0) }) { first, _ in first }
        let revisions = try await snapshot.revisions(of: ids)
        for entry in entries {
            guard let old = stored[entry.id] else {
                report.new += 1
                batch.expecting.entries[entry.id] = .zero
                toEmbed.append(entry)
                pendingBytes += entry.content.utf8.count
                continue
            }
            var entry = entry
            // A stream says what comes, not what is gone.
            if isStream { entry.metadata.merge(old.metadata) { new, _ in new } }
            guard let changed = Self.merged(entry, with: old) else {
                report.unchanged += 1
                progress.entries += 1
                continue
            }
            report.updated += 1
            batch.expecting.entries[entry.id] = revisions[entry.id]
            if changed.embeddings.isEmpty {
                toEmbed.append(changed)
                pendingBytes += changed.content.utf8.count
            } else {
                batch.upserts.append(changed)
            }
        }
    }

    /// What an entry of the store becomes when its source says something new, `nil` where it says nothing
    /// new. Without embeddings where the text is another.
    private static func merged(_ entry: Entry, with old: Entry) -> Entry? {
        var entry = entry
        // Tags that people have put on it stay.
        entry.tags += old.tags
        entry.createdAt = old.createdAt
        let isSameText = old.content.utf8.elementsEqual(entry.content.utf8) && !old.embeddings.isEmpty
        if isSameText, old.metadata == entry.metadata, old.tags == entry.tags { return nil }
        if isSameText {
            entry.embeddings = old.embeddings
            entry.passages = old.passages
        }
        return entry
    }

    mutating func flush() async throws {
        guard !options.isDryRun else {
            toEmbed = []
            pendingBytes = 0
            batch = WriteBatch()
            return
        }
        if !toEmbed.isEmpty {
            let digests = Set(toEmbed.map { ContentDigest(of: $0.content) })
            let known = try await store.storage.snapshot().embeddedEntries(withContent: digests)
            batch.upserts += try await store.embedded(toEmbed, known: known, &report)
        }
        progress.entries += batch.upserts.count
        if !batch.isEmpty { try await commit(texts: Set(toEmbed.map(\.id))) }
        toEmbed = []
        pendingBytes = 0
        batch = WriteBatch()
        options.progress?(progress)
    }

    /// Commits; where another writer has changed one of the entries meanwhile, with what it wrote merged in.
    ///
    /// - Parameter texts: the entries whose texts are new.
    private mutating func commit(texts: Set<Entry.ID>) async throws {
        for attempt in 1... {
            let snapshot = try await store.storage.snapshot()
            try await placing.place(texts, in: &batch, snapshot)
            do {
                placing.committed(batch, at: try await store.storage.commit(batch))
                return
            } catch let error as StorageError where error.code == .conflict && attempt < 20 {
                let snapshot = try await store.storage.snapshot()
                let ids = batch.upserts.map(\.id)
                let stored = Dictionary(try await snapshot.entries(ids).map { ($0.id, $0) }) { first, _ in
                    first
                }
                let revisions = try await snapshot.revisions(of: ids)
                batch.upserts = batch.upserts.compactMap { entry in
                    guard let old = stored[entry.id] else { return entry }
                    guard var changed = Self.merged(entry, with: old) else { return nil }
                    changed.embeddings = entry.embeddings
                    changed.passages = entry.passages
                    return changed
                }
                batch.expecting.entries = revisions
                for id in ids where revisions[id] == nil { batch.expecting.entries[id] = .zero }
            }
        }
    }
}

import RoostModel

struct BatchCommitter {
    private let store: KnowledgeStore
    private let options: IngestOptions
    /// The entries with new texts, which have to be embedded, and those that another reader has read.
    private var newTexts: [Entry] = []
    /// The entries of ``newTexts`` whose texts are the stored ones. They stay in their clusters, into which a
    /// user may have moved them.
    private var sameTexts = Set<Entry.ID>()
    private var newTextBytes = 0
    private var items: [Entry.ID: (item: SourceDiff.DatedEntry, isStream: Bool)] = [:]
    private var batch = WriteBatch()
    private var placing: BatchPlacement
    private var firstChange: ContinuousClock.Instant?

    /// The duration for which changes are collected, in seconds. An interruption loses about this much work.
    private static let targetDuration = 1.5
    /// The length of the texts in bytes after which a commit is due. Small models embed it in about this time.
    private static let byteLimit = 32 << 10

    init(store: KnowledgeStore, options: IngestOptions) {
        self.store = store
        self.options = options
        placing = BatchPlacement(of: store)
    }

    var isDue: Bool {
        newTexts.count + batch.upserts.count >= options.batchSize || newTextBytes >= Self.byteLimit
            || batch.removals.count + batch.sources.count >= options.batchSize
            || firstChange.map { $0.duration(to: .now) >= .seconds(Self.targetDuration) } ?? false
    }

    // MARK: Collecting

    mutating func add(_ change: SourceDiff.Change, _ item: SourceDiff.DatedEntry, isStream: Bool) {
        let entry = change.entry
        items[entry.id] = (item, isStream)
        batch.expecting.entries[entry.id] = change.expected
        if entry.embeddings.isEmpty {
            newTexts.append(entry)
            newTextBytes += entry.content.utf8.count
            if change.hasSameText { sameTexts.insert(entry.id) }
        } else {
            batch.upserts.append(entry)
        }
        firstChange = firstChange ?? .now
    }

    /// Adds a record without a fingerprint for a source whose entries require several commits, so that the
    /// entries of an interrupted ingest can be attributed to it.
    mutating func beginSource(_ id: Source.ID) {
        batch.sources.append(Source(id: id, fingerprint: ""))
    }

    /// Adds the final record of a source and the removal of its vanished entries.
    mutating func endSource(_ source: Source, removing vanished: [Entry.ID]) {
        batch.removals += vanished
        batch.sources.removeAll { $0.id == source.id }
        batch.sources.append(Source(id: source.id, fingerprint: source.fingerprint))
    }

    // MARK: Committing

    /// Embeds and commits the collected changes.
    ///
    /// - Returns: The number of entries that were written.
    mutating func flush(_ report: inout IngestReport) async throws -> Int {
        defer {
            (newTexts, newTextBytes, batch, items, firstChange) = ([], 0, WriteBatch(), [:], nil)
            sameTexts = []
        }
        guard !options.isDryRun else { return 0 }
        if !newTexts.isEmpty {
            batch.upserts += try await store.entryEmbedder.embed(
                newTexts, reusing: try await store.storage.snapshot(), &report)
        }
        let count = batch.upserts.count
        if !batch.isEmpty { try await commit(newTexts: Set(newTexts.map(\.id)), &report) }
        return count
    }

    private mutating func commit(newTexts: Set<Entry.ID>, _ report: inout IngestReport) async throws {
        try await ConflictRetry.standard.run {
            // Other processes can have committed all of it.
            guard !batch.isEmpty else { return }
            // The snapshot must not be held during the commit; see `Ingestor`.
            try await placing.assign(
                newTexts.subtracting(sameTexts), in: &batch, store.storage.snapshot())
            placing.committed(batch, at: try await store.storage.commit(batch))
        } recoveringWith: { _ in
            try await mergeConcurrentChanges(&report)
            return true
        }
    }

    /// Merges the entries of the batch with those that other writers have committed in the meantime, as if
    /// these had been committed before.
    private mutating func mergeConcurrentChanges(_ report: inout IngestReport) async throws {
        let ids = batch.upserts.map(\.id)
        let stored = try await SourceDiff.Stored(ids, in: try await store.storage.snapshot())
        let changed = batch.upserts.filter { entry in
            stored.entries[entry.id].map { !SourceDiff.hasSameText(entry, $0) } ?? true
        }
        sameTexts.subtract(changed.map(\.id))
        batch.upserts = batch.upserts.compactMap { entry in
            guard let old = stored.entries[entry.id] else { return entry }
            let merged = merged(entry, with: old)
            // The entry was counted when it was compared with the state before.
            if batch.expecting.entries[entry.id] == .zero {
                report.new -= 1
                if merged == nil { report.unchanged += 1 } else { report.updated += 1 }
            }
            return merged
        }
        batch.expecting.entries = stored.revisions
        for id in ids where stored.revisions[id] == nil { batch.expecting.entries[id] = .zero }
    }

    /// Returns an entry of the batch merged with the stored entry; `nil` if nothing changes.
    private func merged(_ entry: Entry, with old: Entry) -> Entry? {
        // Another process has moved the entry to another source, which a later ingest compares.
        guard ExactText.areSame(old.source, entry.source) else { return nil }
        guard let (item, isStream) = items[entry.id] else { return entry }
        // The entry of the batch can contain what another writer has removed or changed since, so the merge
        // begins with the entry of the source.
        var new = item.entry
        if isStream { new.metadata.merge(old.metadata) { new, _ in new } }
        guard var merged = SourceDiff.merged(new, item.dates, with: old, keepsVectors: isStream) else {
            return nil
        }
        merged.embeddings = entry.embeddings
        merged.passages = entry.passages
        return merged
    }
}

import Foundation
import RoostChunks
import RoostFiles
import RoostModel

struct Ingestor {
    private let store: KnowledgeStore
    private let options: IngestOptions
    private var committer: BatchCommitter
    private(set) var report = IngestReport()
    private var progress = IngestProgress()
    private var processed = Set<Source.ID>()
    /// The state with which the current source is compared. It is released before a commit: while a snapshot
    /// of the state before is held, the storage cannot reclaim space, and a log would grow with each commit.
    private var snapshot: (any StorageSnapshot)?
    /// Protects stored documents that no committed record references yet.
    private var originalsLock: FileLock?

    private static let stepSize = 64

    init(store: KnowledgeStore, options: IngestOptions) {
        self.store = store
        self.options = options
        committer = BatchCommitter(store: store, options: options)
    }

    static func run(
        into store: KnowledgeStore, _ options: IngestOptions, next: () async throws -> SourceDraft?
    ) async throws -> IngestReport {
        var ingestor = Ingestor(store: store, options: options)
        while let source = try await next() {
            try Task.checkCancellation()
            try await ingestor.ingest(source)
        }
        try await ingestor.flush()
        return ingestor.report
    }

    private mutating func ingest(_ draft: SourceDraft) async throws {
        // A source that occurs twice is compared with what its first occurrence wrote.
        if !processed.insert(draft.id).inserted { try await flush() }
        report.skipped += draft.skipped
        try await storeOriginal(of: draft)
        snapshot = nil
        let record = try await currentSnapshot().sources([draft.id]).first
        if draft.isComplete, let record, record.isUnchanged(draft.fingerprint), !record.entryIDs.isEmpty {
            try await addTags(to: record.entryIDs)
            progress.sources += 1
            return
        }
        guard !draft.isUnread else {
            // Without its entries, the source cannot be compared.
            report.skipped.append(
                .init(
                    source: SourceDraft.displayName(of: draft.id),
                    reason: "another process changed its entries at the same time; ingest it again"))
            progress.sources += 1
            return
        }
        var identified = SourceDiff.identify(draft, tags: options.tags)
        report.skipped += identified.skipped
        report.notices += draft.notices
        identified.entries =
            draft.isComplete
            ? try await SourceIdentity.resolve(
                identified.entries, of: draft.id, record, in: currentSnapshot())
            : try await avoidingEditedEntries(identified.entries, of: draft)
        if draft.isComplete, record == nil, identified.entries.count > 1 { committer.beginSource(draft.id) }
        var source = Source(id: draft.id, fingerprint: draft.fingerprint)
        source.findings = Dictionary(
            (draft.skipped + identified.skipped + draft.notices).map { ($0.kind.rawValue, $0.count) },
            uniquingKeysWith: +)
        try await compare(
            identified.entries, isStream: !draft.isComplete,
            // The reader that an interrupted ingest used is unknown, so its vectors are checked.
            keepsVectors: !draft.isComplete || record?.readerVersion == source.readerVersion)
        // A single entry is committed together with the record of its source, because an interruption in
        // between would leave it without one: the entry would stay in the store if its file is deleted.
        if committer.isDue, !draft.isComplete || identified.entries.count > 1 { try await flush() }
        if draft.isComplete {
            let present = Set(identified.entries.map(\.entry.id))
            var vanished: [Entry.ID] = []
            if draft.skipped.isEmpty, identified.invalid.isEmpty, !draft.keepsMissingEntries {
                // Without a record, the source is new or its first ingest was interrupted.
                let known =
                    if let record { record.entryIDs } else {
                        try await currentSnapshot().ids(matching: EntryFilter(sources: [draft.id]))
                    }
                vanished = known.filter { !present.contains($0) }
            }
            committer.endSource(source, removing: vanished)
            report.removed += vanished.count
        }
        progress.sources += 1
        if committer.isDue { try await flush() }
    }

    private mutating func currentSnapshot() async throws -> any StorageSnapshot {
        if let snapshot { return snapshot }
        let new = try await store.storage.snapshot()
        snapshot = new
        return new
    }

    private mutating func flush() async throws {
        snapshot = nil
        let written = try await committer.flush(&report)
        progress.entries += written
        progress.written += written
        guard !options.isDryRun else { return }
        options.progress?(progress)
    }

    // MARK: Comparing

    private mutating func compare(
        _ entries: [SourceDiff.DatedEntry], isStream: Bool, keepsVectors: Bool
    ) async throws {
        for part in entries.groups(of: Self.stepSize) {
            let stored = try await SourceDiff.Stored(part.map(\.entry.id), in: currentSnapshot())
            for item in part {
                let change = SourceDiff.change(
                    from: stored, to: item, isStream: isStream, keepsVectors: keepsVectors)
                count(change)
                if let change { committer.add(change, item, isStream: isStream) }
                if committer.isDue, isStream || entries.count > 1 { try await flush() }
            }
        }
    }

    private mutating func count(_ change: SourceDiff.Change?) {
        if change == nil { progress.entries += 1 }
        guard let change, !change.isMove else {
            report.unchanged += 1
            return
        }
        if change.expected == .zero { report.new += 1 } else { report.updated += 1 }
    }

    /// Returns the entries of a stream. If a user has edited the stored entry with the same id, the returned
    /// entry has a different id, so the stream does not overwrite the edited text.
    private mutating func avoidingEditedEntries(
        _ entries: [SourceDiff.DatedEntry], of draft: SourceDraft
    ) async throws -> [SourceDiff.DatedEntry] {
        var entries = entries
        // Only ids from content-derived keys are changed: the text no longer corresponds to the key after an
        // edit.
        for index in entries.indices
        where entries[index].entry.key?.hasPrefix("sha256:") == true {
            let entry = entries[index].entry
            let found = try await currentSnapshot().streamEntry(
                with: entry.content, of: draft.id, key: entry.key)
            (entries[index].entry.id, entries[index].entry.key) = (found.id, found.key)
        }
        return entries
    }

    // MARK: Tags and originals

    private mutating func addTags(to ids: [Entry.ID]) async throws {
        guard !options.tags.isEmpty else {
            report.unchanged += ids.count
            progress.entries += ids.count
            return
        }
        let changes = EntryChanges(addedTags: Set(TagName.distinct(options.tags)))
        let changed: Int
        if options.isDryRun {
            changed = try await currentSnapshot().entries(ids).count { changes.applied(to: $0) != $0 }
        } else {
            snapshot = nil
            changed = try await store.apply(changes, to: ids)
        }
        report.updated += changed
        report.unchanged += ids.count - changed
        progress.entries += ids.count
        options.progress?(progress)
    }

    private mutating func storeOriginal(of draft: SourceDraft) async throws {
        guard let document = draft.original else { return }
        let record = Source(id: draft.id, fingerprint: draft.fingerprint)
        guard record.documentDigest == ChunkIdentifier(hashing: document).id else {
            throw RoostError(
                .badInput,
                "cannot store the original of \(draft.id): its fingerprint does not begin with its digest")
        }
        guard let originals = store.originals else {
            throw RoostError(
                .configuration, "cannot store the original of \(draft.id): the store has no folder")
        }
        guard !options.isDryRun else { return }
        if originalsLock == nil {
            originalsLock = try await originals.lockAgainstRemoval()
            try await originals.recordPresence()
        }
        try await originals.store(document)
    }
}

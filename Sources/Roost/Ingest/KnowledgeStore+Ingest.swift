public import Foundation
public import RoostModel
import RoostText

extension KnowledgeStore {
    /// Adds a text, unless the store has it from before.
    ///
    /// - Returns: the entry's id and whether it is new.
    @discardableResult
    public func add(
        _ content: String, tags: [String] = [], metadata: [String: MetadataValue] = [:]
    ) async throws -> (id: Entry.ID, isNew: Bool) {
        guard !content.allSatisfy(\.isWhitespace) else {
            throw RoostError(.badInput, "the text is empty; nothing was added")
        }
        let draft = EntryDraft(content: content, metadata: metadata, tags: tags)
        let source = SourceDraft(id: "add", fingerprint: "", entries: [draft], isComplete: false)
        let report = try await ingest([source])
        let key = EntryID.contentKey(ContentDigest(of: content), occurrence: 0)
        return (EntryID.derived(source: "add", key: key), report.new > 0)
    }

    /// Takes sources in as a diff against the store: what is there already is left alone, what changed is
    /// updated, what vanished from a source is removed. The same input again changes nothing.
    ///
    /// Committed every few hundred entries, a source's removals and its record with its last batch; an
    /// ingest that was stopped goes on where it stopped when it is run again.
    /// - Throws: ``StorageError``; ``EmbedderError``; `CancellationError`; what was committed stays.
    public func ingest(
        _ sources: some Sequence<SourceDraft>, _ options: IngestOptions = IngestOptions()
    ) async throws -> IngestReport {
        var ingest = Ingest(store: self, options: options)
        for source in sources {
            try Task.checkCancellation()
            try await ingest.take(source)
        }
        try await ingest.flush()
        return ingest.report
    }

    /// The entry with vectors for its content: those of an equal text where `known` has one.
    func embedded(
        _ entries: [Entry], known: [ContentDigest: Entry], _ report: inout IngestReport
    ) async throws -> [Entry] {
        var entries = entries
        var texts: [String] = []
        var owners: [(entry: Int, range: Range<Int>)] = []
        var firstWith: [ContentDigest: Int] = [:]
        var copies: [(entry: Int, from: Int)] = []
        for (index, entry) in entries.enumerated() {
            let digest = ContentDigest(of: entry.content)
            if let twin = known[digest], twin.content.utf8.elementsEqual(entry.content.utf8) {
                entries[index].embeddings = twin.embeddings
                entries[index].passages = twin.passages
                report.reused += 1
            } else if let first = firstWith[digest] {
                copies.append((index, first))
                report.reused += 1
            } else {
                firstWith[digest] = index
                for range in passages(of: entry.content) {
                    owners.append((index, range))
                    texts.append(Self.slice(entry.content, range))
                }
            }
        }
        let embeddings = try await embedder.embed(texts, as: .document)
        for (row, owner) in owners.enumerated() {
            report.tokens += embeddings.tokenCounts[row]
            report.omittedTokens += embeddings.omittedTokens[row]
            entries[owner.entry].passages.append(
                Passage(
                    ordinal: entries[owner.entry].passages.count, utf8Range: owner.range,
                    tokenCount: embeddings.tokenCounts[row], vector: embeddings.vectors.row(row)))
        }
        for index in firstWith.values {
            let vectors = entries[index].passages.map(\.vector)
            entries[index].embeddings = vectors.count == 1 ? vectors[0] : unitMean(of: vectors) ?? []
        }
        for copy in copies {
            entries[copy.entry].embeddings = entries[copy.from].embeddings
            entries[copy.entry].passages = entries[copy.from].passages
        }
        return entries
    }

    /// The passages of a text: the whole where the model takes it in at once.
    private func passages(of content: String) -> [Range<Int>] {
        let whole = 0..<content.utf8.count
        // No token is shorter than a byte.
        guard let limit = embedder.maximumTokens, whole.count > limit else { return [whole] }
        let tokens = embedder.tokenRanges(in: content)
        guard tokens.count > limit else { return [whole] }
        var splitter = splitter
        splitter.maximumTokens = min(splitter.maximumTokens, limit)
        return splitter.split(content, tokens: tokens)
    }

    private static func slice(_ content: String, _ range: Range<Int>) -> String {
        let utf8 = content.utf8
        let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
        return String(content[start..<utf8.index(start, offsetBy: range.count)])
    }
}

/// One ingest under way: what waits for the next commit, and what has been done.
private struct Ingest {
    let store: KnowledgeStore
    let options: IngestOptions
    var report = IngestReport()
    private var toEmbed: [Entry] = []
    private var batch = WriteBatch()
    private var progress = IngestProgress()
    private var taken = Set<Source.ID>()

    init(store: KnowledgeStore, options: IngestOptions) {
        self.store = store
        self.options = options
    }

    mutating func take(_ draft: SourceDraft) async throws {
        // A source that comes twice is compared with what its first time wrote.
        if !taken.insert(draft.id).inserted { try await flush() }
        let snapshot = try await store.storage.snapshot()
        let record = try await snapshot.sources([draft.id]).first
        if draft.isComplete, let record, record.fingerprint == draft.fingerprint, options.tags.isEmpty {
            report.unchanged += record.entryIDs.count
            progress.entries += record.entryIDs.count
            progress.sources += 1
            return
        }
        let entries = identified(draft)
        for start in stride(from: 0, to: entries.count, by: options.batchSize) {
            let end = min(entries.count, start + options.batchSize)
            try await compare(entries[start..<end], snapshot)
            progress.fractionOfNextSource = Double(end) / Double(entries.count)
            if toEmbed.count + batch.upserts.count >= options.batchSize { try await flush() }
        }
        if draft.isComplete {
            let present = Set(entries.map(\.id))
            let known = try await knownIDs(draft.id, record, snapshot)
            let vanished = known.filter { !present.contains($0) }
            batch.removals += vanished
            report.removed += vanished.count
            batch.sources.append(Source(id: draft.id, fingerprint: draft.fingerprint))
        }
        progress.sources += 1
        progress.fractionOfNextSource = 0
        if batch.removals.count + batch.sources.count >= options.batchSize { try await flush() }
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
            let place = item.place.map { "\(draft.id), \($0)" } ?? draft.id
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

    private mutating func compare(_ entries: ArraySlice<Entry>, _ snapshot: any StorageSnapshot) async throws
    {
        let stored = Dictionary(try await snapshot.entries(entries.map(\.id)).map { ($0.id, $0) }) {
            first, _ in first
        }
        for var entry in entries {
            guard let old = stored[entry.id] else {
                report.new += 1
                toEmbed.append(entry)
                continue
            }
            // Tags that people have put on it stay.
            entry.tags += old.tags
            entry.createdAt = old.createdAt
            let isSameText = old.content.utf8.elementsEqual(entry.content.utf8) && !old.embeddings.isEmpty
            if isSameText, old.metadata == entry.metadata, old.tags == entry.tags {
                report.unchanged += 1
                progress.entries += 1
                continue
            }
            report.updated += 1
            if isSameText {
                entry.embeddings = old.embeddings
                entry.passages = old.passages
                batch.upserts.append(entry)
            } else {
                toEmbed.append(entry)
            }
        }
    }

    mutating func flush() async throws {
        guard !options.isDryRun else {
            toEmbed = []
            batch = WriteBatch()
            return
        }
        if !toEmbed.isEmpty {
            let digests = Set(toEmbed.map { ContentDigest(of: $0.content) })
            let known = try await store.storage.snapshot().embeddedEntries(withContent: digests)
            batch.upserts += try await store.embedded(toEmbed, known: known, &report)
        }
        progress.entries += batch.upserts.count
        if !batch.isEmpty { _ = try await store.storage.commit(batch) }
        toEmbed = []
        batch = WriteBatch()
        options.progress?(progress)
    }
}

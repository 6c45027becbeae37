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
        let snapshot = try await storage.snapshot()
        let digest = ContentDigest(of: content)
        for occurrence in 0... {
            let key = EntryID.contentKey(digest, occurrence: occurrence)
            let id = EntryID.derived(source: "add", key: key)
            guard let entry = try await snapshot.entries([id]).first else { break }
            if entry.content.utf8.elementsEqual(content.utf8) { return (id, report.new > 0) }
        }
        throw StorageError(.conflict, "the text was removed again while it was added", isRetryable: true)
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
        var embeddings = try await embedder.embed(texts, as: .document)
        // Scores are cosines: what is stored has unit length, whatever the model gives.
        if !embedder.space.isNormalized { embeddings.vectors.normalizeRows() }
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

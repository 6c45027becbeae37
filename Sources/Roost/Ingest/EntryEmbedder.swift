package import RoostModel
package import RoostText
import RoostVectors

/// Computes the passages and vectors of entries.
package struct EntryEmbedder {
    /// The embedder of the store.
    package let embedder: any Embedder
    /// The splitter of texts that exceed the embedder's limit.
    package let splitter: PassageSplitter

    /// Returns the entries with vectors for their texts. A text that no reader has read is read as Markdown.
    ///
    /// - Parameters:
    ///   - entries: The entries, without passages.
    ///   - snapshot: The state from which vectors of equal texts are copied; `nil` to copy none.
    ///   - report: Receives the numbers of tokens and of reused vectors.
    /// - Throws: `EmbedderError`; `StorageError`; `CancellationError`.
    @concurrent
    package func embed(
        _ entries: [Entry], reusing snapshot: (any StorageSnapshot)?, _ report: inout IngestReport
    ) async throws -> [Entry] {
        let digests = entries.map { ContentDigest(of: $0.content) }
        let known = try await snapshot?.embeddedEntries(withContent: Set(digests)) ?? [:]
        let own = try await ownVersions(of: entries, digests, known, snapshot)
        var entries = entries
        for index in entries.indices { entries[index].readStructure() }
        var texts: [String] = []
        var owners: [Owner] = []
        var firstIndices: [PassagePlan: Int] = [:]
        var duplicates: [Duplicate] = []
        for (index, entry) in entries.enumerated() {
            let plan = plan(of: entries[index])
            let stored = [known[digests[index]], own[entry.id]].compactMap(\.self)
            if let equal = stored.first(where: { isReusable($0, for: entry, plan) }) {
                entries[index].embeddings = equal.embeddings
                entries[index].passages = equal.passages
                report.reused += 1
            } else if let first = firstIndices[plan] {
                duplicates.append(Duplicate(index: index, original: first))
                report.reused += 1
            } else {
                firstIndices[plan] = index
                for part in plan.parts {
                    owners.append(Owner(index: index, range: part.range))
                    texts.append(part.text)
                }
            }
        }
        let embeddings = try await embedder.checkedEmbeddings(texts, as: .document)
        for (row, owner) in owners.enumerated() {
            report.tokens += Self.plausible(embeddings.tokenCounts[row])
            report.omittedTokens += Self.plausible(embeddings.omittedTokens[row])
            entries[owner.index].passages.append(
                Passage(
                    ordinal: entries[owner.index].passages.count, utf8Range: owner.range,
                    tokenCount: embeddings.tokenCounts[row],
                    vector: vector(embeddings.vectors.row(row), of: texts[row])))
        }
        for index in firstIndices.values {
            let vectors = entries[index].passages.map(\.vector)
            entries[index].embeddings = vectors.count == 1 ? vectors[0] : unitMean(of: vectors) ?? []
        }
        for duplicate in duplicates {
            entries[duplicate.index].embeddings = entries[duplicate.original].embeddings
            entries[duplicate.index].passages = entries[duplicate.original].passages
        }
        return entries
    }

    /// Returns the stored versions of entries that share their text with another entry.
    ///
    /// For each text, a snapshot returns only one entry. Its vectors may not be reusable, because the
    /// headings embedded with it depend on the name of its file.
    private func ownVersions(
        of entries: [Entry], _ digests: [ContentDigest], _ known: [ContentDigest: Entry],
        _ snapshot: (any StorageSnapshot)?
    ) async throws -> [Entry.ID: Entry] {
        let ids = zip(entries, digests).filter { entry, digest in
            known[digest].map { $0.id != entry.id } ?? false
        }.map(\.0.id)
        guard !ids.isEmpty, let snapshot else { return [:] }
        let stored = try await snapshot.entries(ids)
        return Dictionary(
            stored.filter { !$0.embeddings.isEmpty }.map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the vector that is stored for a text: that of the model, or zeros if the model does not
    /// understand the text, because its vector would equal that of unrelated texts.
    private func vector(_ computed: [Float], of text: String) -> [Float] {
        embedder.understands(text) ? computed : [Float](repeating: 0, count: computed.count)
    }

    /// The entry to which an embedded passage belongs.
    private struct Owner {
        var index: Int
        var range: Range<Int>
    }

    /// An entry whose text equals that of an earlier one.
    private struct Duplicate {
        var index: Int
        var original: Int
    }

    private func plan(of entry: Entry) -> PassagePlan {
        PassagePlan(of: entry, embedder: embedder, splitter: splitter)
    }

    /// Returns whether an entry can have the vectors of a stored entry with the same digest.
    private func isReusable(_ stored: Entry, for entry: Entry, _ plan: PassagePlan) -> Bool {
        stored.content.utf8.elementsEqual(entry.content.utf8)
            && plan.isEmbedded(in: stored, plannedAs: self.plan(of: stored))
    }

    /// Returns a number of tokens that an embedder reports, limited to a range in which sums of numbers do
    /// not overflow.
    private static func plausible(_ count: Int) -> Int { min(max(0, count), Int(Int32.max)) }

    /// Returns the number of tokens of an entry's text that no vector represents.
    ///
    /// - Complexity: O(length of the text) if a passage may exceed the model's limit.
    package func omittedTokens(of entry: Entry) -> Int {
        guard !entry.embeddings.isEmpty else { return embedder.tokenRanges(in: entry.visibleText).count }
        guard let limit = embedder.maximumTokens else { return 0 }
        // A token has at least one byte, so the other passages cannot exceed the limit.
        let long = entry.searchablePassages.filter { $0.utf8Range.count > limit }
        guard !long.isEmpty else { return 0 }
        let treatment = TextTreatment(of: entry)
        return long.reduce(0) { sum, passage in
            let text = treatment.visibleText(in: passage.utf8Range)
            return sum + max(0, embedder.tokenRanges(in: text).count - limit)
        }
    }
}

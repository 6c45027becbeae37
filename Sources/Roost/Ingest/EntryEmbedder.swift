import Foundation
package import RoostModel
import RoostText
import RoostVectors

package struct EntryEmbedder {
    package let embedder: any Embedder

    /// Returns the entries with vectors for their texts. A text that no reader has read is read as Markdown.
    @concurrent
    package func embed(
        _ entries: [Entry], reusing snapshot: (any StorageSnapshot)?, _ report: inout IngestReport
    ) async throws -> [Entry] {
        let digests = entries.map { ContentDigest(of: $0.content) }
        let known = try await snapshot?.embeddedEntries(withContent: Set(digests)) ?? [:]
        var entries = entries
        for index in entries.indices { entries[index].readStructure() }
        var texts: [String] = []
        // The entry to which each text belongs, and the range of its passage.
        var owners: [(index: Int, range: Range<Int>)] = []
        // The entries with equal texts.
        var groups: [PassagePlan: [Int]] = [:]
        for (index, entry) in entries.enumerated() {
            let plan = PassagePlan(of: entry, embedder: embedder)
            if let equal = known[digests[index]], SourceDiff.hasSameText(equal, entry),
                plan == PassagePlan(of: equal, embedder: embedder),
                plan.parts.map(\.range) == equal.searchablePassages.map(\.utf8Range)
            {
                entries[index].embeddings = equal.embeddings
                entries[index].passages = equal.passages
                report.reused += 1
                continue
            }
            if groups[plan] == nil {
                owners += plan.parts.map { (index, $0.range) }
                texts += plan.parts.map(\.text)
                if let language = LanguageEvidence.languageName(of: plan.parts[0].text) {
                    report.languages[language, default: 0] += 1
                }
            } else {
                report.reused += 1
            }
            groups[plan, default: []].append(index)
        }
        let embeddings = try await embedder.checkedEmbeddings(texts, as: .document)
        for (row, owner) in owners.enumerated() {
            report.tokens += Self.plausible(embeddings.tokenCounts[row])
            report.omittedTokens += Self.plausible(embeddings.omittedTokens[row])
            // The vector of a text that the model does not understand would equal that of unrelated texts.
            let vector =
                embedder.understands(texts[row])
                ? embeddings.vectors.row(row) : [Float](repeating: 0, count: embeddings.vectors.columns)
            entries[owner.index].passages.append(
                Passage(
                    ordinal: entries[owner.index].passages.count, utf8Range: owner.range,
                    tokenCount: embeddings.tokenCounts[row], vector: vector))
        }
        for group in groups.values {
            let passages = entries[group[0]].passages
            let vectors = passages.map(\.vector)
            let mean = vectors.count == 1 ? vectors[0] : unitMean(of: vectors) ?? []
            for index in group { (entries[index].embeddings, entries[index].passages) = (mean, passages) }
        }
        return entries
    }

    /// Returns a number of tokens that an embedder reports, limited to a range in which sums of numbers do
    /// not overflow.
    private static func plausible(_ count: Int) -> Int { min(max(0, count), Int(Int32.max)) }
}

struct PassagePlan: Sendable, Hashable {
    struct Part: Sendable, Hashable {
        var range: Range<Int>
        var text: String
    }

    private(set) var parts: [Part]

    /// The maximum number of tokens of the headings that are embedded with a passage.
    private static let maximumPrefix = 40

    init(of entry: Entry, embedder: any Embedder) {
        let treatment = TextTreatment(of: entry)
        let entire = 0..<entry.content.utf8.count
        guard let bounds = treatment.hidesText ? treatment.visibleBounds(of: entire) : entire else {
            // An entry without visible text is found by its title.
            let title = entry.title ?? entry.sourcePath.map { URL(fileURLWithPath: $0).lastPathComponent }
            parts = [Part(range: entire, text: title ?? entry.content)]
            return
        }
        let ranges = Self.ranges(in: treatment, bounds, embedder)
        let file = entry.sourcePath.map { URL(fileURLWithPath: $0).lastPathComponent }
        parts = ranges.map { range in
            let text = treatment.visibleText(in: range)
            var headings = treatment.headings(above: range)
            if treatment.structure.format == .code, let file { headings.insert(file, at: 0) }
            let prefix = Self.prefix(headings, embedder)
            return Part(range: range, text: prefix + text)
        }
    }

    /// Returns the ranges of the passages: the visible text if it does not exceed the model's limit.
    private static func ranges(
        in treatment: TextTreatment, _ bounds: Range<Int>, _ embedder: any Embedder
    ) -> [Range<Int>] {
        // A token has at least one byte, so the tokens of a text without more bytes than the limit need not
        // be counted.
        guard let limit = embedder.maximumTokens, bounds.count > limit else { return [bounds] }
        let content = treatment.content
        // A custom embedder may return anything.
        let ranges = PassageSplitter.valid(embedder.tokenRanges(in: content), size: content.utf8.count)
        let tokens = treatment.visible(ranges)
        guard tokens.count > limit else { return [bounds] }
        var splitter = PassageSplitter()
        // The splitter treats a limit below 1 as 1.
        splitter.maximumTokens = min(splitter.maximumTokens, limit)
        let structure = treatment.structure
        return splitter.split(
            treatment.content, tokens: tokens,
            sections: structure.sections.map(\.range.lowerBound), blocks: structure.blocks
        ).compactMap { treatment.hidesText ? treatment.visibleBounds(of: $0) : $0 }
    }

    /// Returns the line that precedes a passage: the headings above it. Outer headings are omitted if the
    /// line would be too long.
    private static func prefix(_ headings: [String], _ embedder: any Embedder) -> String {
        var headings = headings[...]
        while !headings.isEmpty {
            let line = headings.joined(separator: " > ") + "\n"
            if line.utf8.count <= maximumPrefix || embedder.tokenRanges(in: line).count <= maximumPrefix {
                return line
            }
            headings.removeFirst()
        }
        return ""
    }
}

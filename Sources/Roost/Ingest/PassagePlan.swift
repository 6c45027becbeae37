import Foundation
import RoostModel
import RoostText

/// The passages of an entry's text, before they are embedded.
struct PassagePlan: Sendable, Hashable {
    /// A passage and the text that is embedded for it.
    struct Part: Sendable, Hashable {
        /// The range of the passage in UTF-8 bytes of the content.
        var range: Range<Int>
        /// The text that is embedded.
        var text: String
    }

    /// The passages in order.
    private(set) var parts: [Part]

    /// The maximum number of tokens of the headings that are embedded with a passage.
    private static let maximumPrefix = 40

    /// Plans the passages of an entry.
    ///
    /// - Complexity: O(length of the text).
    init(of entry: Entry, embedder: any Embedder, splitter: PassageSplitter) {
        let treatment = TextTreatment(of: entry)
        let entire = 0..<entry.content.utf8.count
        guard let bounds = treatment.hidesText ? treatment.visibleBounds(of: entire) : entire else {
            // An entry without visible text is found by its title.
            let title = entry.title ?? entry.sourcePath.map { URL(fileURLWithPath: $0).lastPathComponent }
            parts = [Part(range: entire, text: title ?? entry.content)]
            return
        }
        let ranges = Self.ranges(
            in: treatment, bounds, embedder, splitter)
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
        in treatment: TextTreatment, _ bounds: Range<Int>, _ embedder: any Embedder,
        _ splitter: PassageSplitter
    ) -> [Range<Int>] {
        // A token has at least one byte, so the tokens of a text without more bytes than the limit need not
        // be counted.
        guard let limit = embedder.maximumTokens, bounds.count > limit else { return [bounds] }
        let tokens = treatment.visible(embedder.checkedTokenRanges(in: treatment.content))
        guard tokens.count > limit else { return [bounds] }
        var splitter = splitter
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

    /// Returns whether the vectors of a stored entry with the same content belong to these passages.
    ///
    /// - Parameters:
    ///   - entry: The stored entry, which may come from another source.
    ///   - plan: The plan for the stored entry.
    func isEmbedded(in entry: Entry, plannedAs plan: PassagePlan) -> Bool {
        plan == self && entry.searchablePassages.map(\.utf8Range) == parts.map(\.range)
    }
}

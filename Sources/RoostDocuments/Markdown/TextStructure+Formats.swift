extension TextStructure {
    /// Computes the structure of a text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - format: The format of the text.
    /// - Complexity: O(length of text).
    public init(of text: String, format: TextFormat) {
        switch format {
        case .markdown: self.init(MarkdownAnalysis(text))
        case .mail: self.init(MailQuotations(text))
        case .code: self.init(CodeStructure(text))
        case .plain: self.init(sections: [Section(headings: [], range: 0..<text.utf8.count)])
        }
    }

    init(_ analysis: MarkdownAnalysis) {
        self.init(
            sections: analysis.sections,
            hiddenParts: Self.disjoint(analysis.scanner.hiddenParts),
            blocks: analysis.wholeRanges)
    }

    /// Returns parts in order. A part within another one is removed, and the beginning of a part that another
    /// one overlaps is cut off.
    static func disjoint(_ parts: [HiddenPart]) -> [HiddenPart] {
        var result: [HiddenPart] = []
        let sorted = parts.sorted {
            ($0.range.lowerBound, -$0.range.upperBound) < ($1.range.lowerBound, -$1.range.upperBound)
        }
        for part in sorted {
            let end = result.last?.range.upperBound ?? 0
            guard part.range.upperBound > end else { continue }
            result.append(
                HiddenPart(kind: part.kind, range: max(end, part.range.lowerBound)..<part.range.upperBound))
        }
        return result
    }
}

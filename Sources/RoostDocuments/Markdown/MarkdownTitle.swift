import Foundation

/// Finds the title of a Markdown note whose front matter has none.
enum MarkdownTitle {
    /// Returns the title of a note: the first heading of level 1, a heading of another level at the
    /// beginning, the name of the file, or else the first heading.
    ///
    /// A heading of another level in the middle of a note, such as "Tasks", names only a part of it.
    static func title(of analysis: MarkdownAnalysis, _ input: DocumentInput?) -> String? {
        if let heading = analysis.headings.first(where: { $0.level == 1 }) { return heading.text }
        guard let first = analysis.headings.first else { return name(of: input, analysis) }
        return isAtBeginning(first, analysis) ? first.text : name(of: input, analysis) ?? first.text
    }

    /// Returns whether only white space and front matter come before a heading.
    private static func isAtBeginning(
        _ heading: MarkdownAnalysis.Heading, _ analysis: MarkdownAnalysis
    ) -> Bool {
        let start = analysis.lines.starts[analysis.frontMatter?.lineCount ?? 0]
        return heading.start <= start || analysis.lines.bytes.trimmed(start..<heading.start).isEmpty
    }

    /// Returns the name of a file without its extension; `nil` for an empty note. The last component of a URL
    /// is not the name of a note.
    private static func name(of input: DocumentInput?, _ analysis: MarkdownAnalysis) -> String? {
        guard let input, !input.path.contains("://"), let stem = input.fileStem?.trimmed,
            !analysis.lines.bytes.allSatisfy(\.isMarkdownSpace)
        else { return nil }
        // The file system of macOS can return names with decomposed letters.
        return stem.precomposedStringWithCanonicalMapping
    }
}

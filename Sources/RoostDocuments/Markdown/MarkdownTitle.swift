import Foundation

/// Finds the title of a Markdown note whose front matter has none.
enum MarkdownTitle {
    /// Names of files that say nothing about the contents, in lowercase letters.
    private static let genericNames: Set<String> = [
        "readme", "index", "home", "_index", "changelog", "changes", "history", "license", "licence",
        "contributing", "contributors", "authors", "copying", "notice", "security", "support", "todo",
        "news", "install", "faq", "summary", "untitled", "unbenannt", "document", "note", "notes", "new note",
        "new document", "skill", "agents", "claude", "gemini", "code_of_conduct", "pull_request_template",
        "issue_template",
    ]

    /// Returns the title of a note: the first heading of level 1, a heading of another level at the
    /// beginning, the name of the file if a person wrote it for reading, or else the first heading. The name
    /// of the file is also the title if the note begins with code, whose first line is not one.
    ///
    /// A heading of another level in the middle of a note, such as "Tasks", names only a part of it.
    static func title(of analysis: MarkdownAnalysis, _ input: DocumentInput?) -> String? {
        let heading = analysis.headings.first { $0.level == 1 }
        if let text = elementText(before: heading?.start ?? analysis.lines.bytes.count, analysis) {
            return text
        }
        if let heading { return heading.text }
        guard let first = analysis.headings.first else {
            return name(input, analysis, isForReading: !beginsWithCode(analysis))
        }
        return isAtBeginning(first, analysis) ? first.text : name(input, analysis) ?? first.text
    }

    /// Returns whether only white space and hidden parts, such as front matter, come before a heading.
    private static func isAtBeginning(
        _ heading: MarkdownAnalysis.Heading, _ analysis: MarkdownAnalysis
    ) -> Bool {
        let bytes = analysis.lines.bytes
        let parts = analysis.scanner.hiddenParts.map(\.range).filter { $0.lowerBound < heading.start }
            .sorted { $0.lowerBound < $1.lowerBound }
        var end = 0
        for part in parts {
            if part.lowerBound > end, !bytes.trimmed(end..<part.lowerBound).isEmpty { return false }
            end = max(end, part.upperBound)
        }
        return end >= heading.start || bytes.trimmed(end..<heading.start).isEmpty
    }

    /// The number of bytes at the beginning of a note in which an element can be its title.
    private static let maximumElementOffset = 1 << 14

    /// Returns the text of the first element `h1` in HTML before an offset; the texts of its images if it has
    /// no other; `nil` without such an element. Many files `README` have a centered title of this form.
    private static func elementText(before end: Int, _ analysis: MarkdownAnalysis) -> String? {
        for block in analysis.blocks where block.kind == .html && block.isTopLevel {
            let range = analysis.lines.contentRange(block.lines)
            guard range.lowerBound < min(end, maximumElementOffset) else { return nil }
            let bytes = analysis.lines.bytes
            guard let opening = bytes.text(range).firstRange(of: #/<[hH]1(\s[^<>]*)?>/#) else { continue }
            // An empty line within the element ends the block.
            let html = bytes.text(range.lowerBound..<min(end, range.lowerBound + maximumElementOffset))
            guard opening.upperBound <= html.endIndex,
                let closing = html[opening.upperBound...].firstRange(of: #/<\/[hH]1\s*>/#)
            else { return nil }
            let content = html[opening.upperBound..<closing.lowerBound]
            let text = MarkdownText.singleLine(HTMLText.plain(String(content)))
            if text.contains(where: \.isLetter) { return text }
            let images = content.matches(of: #/\salt\s*=\s*(?:"([^"]*)"|'([^']*)')/#).map {
                String($0.output.1 ?? $0.output.2 ?? "")
            }
            let names = MarkdownText.singleLine(HTMLText.plain(images.joined(separator: " ")))
            if names.contains(where: \.isLetter) { return names }
        }
        return nil
    }

    /// Returns whether the first block of a note is code.
    private static func beginsWithCode(_ analysis: MarkdownAnalysis) -> Bool {
        if case .code = analysis.blocks.first?.kind { return true }
        return false
    }

    /// Returns the name of a file without its extension; `nil` if it is not for reading, or if the note is
    /// empty. The last component of a URL is not the name of a note.
    ///
    /// - Parameter isForReading: Whether a person must have written the name for reading. General names are
    ///   never titles.
    private static func name(
        _ input: DocumentInput?, _ analysis: MarkdownAnalysis, isForReading: Bool = true
    ) -> String? {
        guard let input, !input.path.contains("://"), let stem = input.fileStem?.trimmed,
            !analysis.lines.bytes.allSatisfy(\.isMarkdownSpace)
        else { return nil }
        // The file system of macOS can return names with decomposed letters.
        let name = stem.precomposedStringWithCanonicalMapping
        return isReadable(name) || !isForReading && !isGeneric(name) ? name : nil
    }

    /// Returns whether a person wrote a name for reading: it contains a space, an uppercase letter or a
    /// letter outside of ASCII, or is a date. Numbers of notes and hexadecimal identifiers are not for
    /// reading.
    static func isReadable(_ name: String) -> Bool {
        guard !isGeneric(name) else { return false }
        if name.wholeMatch(of: #/\d{4}([-_]\d\d){1,2}/#) != nil {
            return DocumentDates.date(fromISO: name.replacing("_", with: "-")) != nil
        }
        if name.contains(where: { $0.isLetter && !$0.isASCII }) { return true }
        guard name.contains(where: \.isLetter) else { return false }
        if name.contains(" ") { return true }
        // Such as 4f0c-12, IMG_1234 and 01HV3K5QZJ.
        let isIdentifier =
            name.contains(where: \.isNumber)
            && (name.allSatisfy { $0.isHexDigit || $0 == "-" || $0 == "_" }
                || !name.contains(where: \.isLowercase))
        return !isIdentifier && name.contains(where: \.isUppercase)
    }

    private static func isGeneric(_ name: String) -> Bool {
        // Numbers, copies and languages are added to general names: `Untitled 2`, `README copy`, `README.de`.
        let base = name.lowercased().replacing(#/( \(?\d+\)?| copy|[._-][a-z]{2})$/#, with: "")
        return genericNames.contains(base)
    }
}

import Foundation

/// The conversion of AsciiDoc.
enum AsciiDocMarkup {
    // A literal in a function would be compiled for each line, which takes longer than its use.
    // Several threads can use a regular expression at the same time.
    nonisolated(unsafe) private static let delimiter =
        #/={4,}|\*{4,}|_{4,}|-{2}|\+{4,}|'{3,}|<{3,}|[|!,:]={3,}/#
    nonisolated(unsafe) private static let blockTitle = #/\.([^\s.].*)/#
    nonisolated(unsafe) private static let attribute = #/:([\w!-]+):(?:\s+(.*))?/#
    nonisolated(unsafe) private static let heading = #/(={1,6}) +(\S.*)/#
    nonisolated(unsafe) private static let item = #/([*.]{1,5}) +(.+)/#
    nonisolated(unsafe) private static let anchor =
        #/(\[?)\[\[([A-Za-z_:][^\[\],]{0,200})(?:,[^\[\]]{0,200})?\]\](\]?)/#
    nonisolated(unsafe) private static let revision = #/v\d[\w.]*(?:,\s*([^:]+?))?(?::.*)?|(\d{4}-\d\d-\d\d)/#
    nonisolated(unsafe) private static let link =
        #/(?:link:|xref:|(?=https?:))([^\s\[\]]{1,500}+)\[([^\[\]]{0,500}+)\]/#

    /// Converts lines. `checkCancellation` is called before each of them.
    static func converted(
        _ lines: [String], checkCancellation: () throws -> Void
    ) rethrows -> ConvertedMarkup {
        var result = ConvertedMarkup()
        var fence: String?
        var comment: String?
        var language = ""
        var underline = -1
        for (index, line) in lines.enumerated() {
            try checkCancellation()
            let text = line.trimmingCharacters(in: .whitespaces)
            if index == underline {
                result.lines.append("")
            } else if index < 5, index > 0, fence == nil, readHeader(text, lines, index, &result) {
                result.addHidden(text)
            } else if let mark = fence {
                result.lines.append(text == mark ? "```" : line)
                if text == mark { fence = nil }
            } else if let mark = comment {
                if text == mark { comment = nil }
                result.addHidden(text)
            } else if let title = AsciiDocTitle(lines, at: index) {
                addHeading(title.text, level: title.level, &result)
                underline = index + 1
            } else if isDelimiter(text, "/") {
                comment = text
                result.addHidden(text)
            } else if isDelimiter(text, "-") || isDelimiter(text, ".") {
                result.lines.append("```" + language)
                (fence, language) = (text, "")
            } else if let name = sourceLanguage(text) {
                language = name
                result.lines.append("")
            } else {
                readLine(line, text, &result)
            }
        }
        return result
    }

    /// Returns whether a line begins or ends a block: it consists of at least four equal characters.
    private static func isDelimiter(_ text: String, _ character: Character) -> Bool {
        text.utf8.count >= 4 && text.allSatisfy { $0 == character }
    }

    /// Converts a line outside blocks of code and comments.
    private static func readLine(_ line: String, _ text: String, _ result: inout ConvertedMarkup) {
        if text.hasPrefix("//") || text.hasPrefix("[") && text.hasSuffix("]") {
            result.addHidden(text)
        } else if text.wholeMatch(of: delimiter) != nil {
            // The ends of tables and blocks. In Markdown, some of them would underline a heading.
            result.lines.append("")
        } else if let match = line.wholeMatch(of: blockTitle) {
            result.lines.append(inline(String(match.output.1), &result))
        } else if let match = text.wholeMatch(of: attribute) {
            readAttribute(match.output.1, String(match.output.2 ?? ""), &result)
            result.addHidden(text)
        } else if let match = line.wholeMatch(of: heading) {
            addHeading(String(match.output.2), level: match.output.1.count, &result)
        } else if let match = text.wholeMatch(of: item) {
            let indent = String(repeating: "    ", count: match.output.1.count - 1)
            let mark = match.output.1.hasPrefix("*") ? "- " : "1. "
            result.lines.append(indent + mark + inline(String(match.output.2), &result))
        } else {
            result.lines.append(inline(line, &result))
        }
    }

    private static func addHeading(_ text: String, level: Int, _ result: inout ConvertedMarkup) {
        let title = inline(text, &result)
        if result.title == nil { result.setTitle(HeadingText.text(ofMarkdown: title)) }
        result.lines.append(MarkdownText.heading(title, level: level))
    }

    private static func readAttribute(
        _ name: Substring, _ value: String, _ result: inout ConvertedMarkup
    ) {
        switch name {
        case "author": result.author = value
        case "revdate", "date": result.date = value
        case "keywords": result.addTags(KeywordList.keywords(in: value))
        default: break
        }
    }

    /// Returns the language that a line such as `[source,ruby]` states, or an empty text if it states none;
    /// `nil` for another line.
    private static func sourceLanguage(_ text: String) -> String? {
        guard text.hasPrefix("[source"), text.hasSuffix("]") else { return nil }
        let attributes = text.dropFirst("[source".count).dropLast()
        guard !attributes.contains("]") else { return nil }
        guard attributes.first == "," else { return "" }
        return String(attributes.dropFirst().drop(while: \.isWhitespace).prefix { $0 != "," })
    }

    /// Returns the name in a line such as `Ines Graf <ines@example.org>`; `nil` for another line.
    private static func author(_ text: String) -> String? {
        guard text.hasSuffix(">"), let bracket = text.firstIndex(of: "<") else { return nil }
        var name = text[..<bracket]
        while let last = name.last, last.isWhitespace { name.removeLast() }
        let address = text[text.index(after: bracket)...].dropLast()
        guard !name.isEmpty, !name.contains(where: { ">:=".contains($0) }),
            !address.contains(where: { "<>".contains($0) || $0.isWhitespace }),
            address.dropFirst().dropLast().contains("@")
        else { return nil }
        return String(name)
    }

    /// Reads the line of the author or of the revision, which follow the title; returns whether the line is
    /// one of them.
    private static func readHeader(
        _ text: String, _ lines: [String], _ index: Int, _ result: inout ConvertedMarkup
    ) -> Bool {
        let isAfterTitle =
            lines[index - 1].hasPrefix("= ") || index > 1 && AsciiDocTitle(lines, at: index - 2)?.level == 1
        if isAfterTitle, let author = author(text) {
            result.author = author
            return true
        }
        guard result.author != nil, let match = text.wholeMatch(of: revision) else { return false }
        result.date = (match.output.1 ?? match.output.2).map(String.init) ?? result.date
        return true
    }

    private static func inline(_ line: String, _ result: inout ConvertedMarkup) -> String {
        guard line.contains("["), line.utf8.count <= ConvertedMarkup.maximumLineLength else { return line }
        // In Markdown, an anchor would be a link to a note.
        let line = line.contains("[[") ? line.replacing(anchor) { anchorText($0.output) } : line
        var output = ""
        var rest = line[...]
        while let match = rest.firstMatch(of: link) {
            output += rest[..<match.range.lowerBound]
            output += result.link(match.output.1, match.output.2.isEmpty ? match.output.1 : match.output.2)
            rest = rest[match.range.upperBound...]
        }
        return output + rest
    }

    /// Returns the text in place of an anchor, which shows nothing: only the entry of a bibliography, such as
    /// `[[[Knuth]]]`, has a name.
    private static func anchorText(_ anchor: (Substring, Substring, Substring, Substring)) -> String {
        anchor.1.isEmpty || anchor.3.isEmpty ? String(anchor.1 + anchor.3) : "[" + anchor.2 + "]"
    }
}

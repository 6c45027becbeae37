import Foundation

/// The conversion of AsciiDoc.
enum AsciiDocMarkup {
    static func converted(_ lines: [String]) -> ConvertedMarkup {
        var result = ConvertedMarkup()
        var fence: String?
        var language = ""
        var isComment = false
        for line in lines {
            let text = line.trimmingCharacters(in: .whitespaces)
            if let mark = fence {
                result.lines.append(text == mark ? "```" : line)
                if text == mark { fence = nil }
            } else if text == "////" || isComment {
                if text == "////" { isComment.toggle() }
                result.addHidden(text)
            } else if text == "----" || text == "...." {
                result.lines.append("```" + language)
                (fence, language) = (text, "")
            } else if text.hasPrefix("//") {
                result.addHidden(text)
            } else if let match = text.wholeMatch(of: #/\[source(?:,\s*([^,\]]+))?[^\]]*\]/#) {
                language = match.output.1.map(String.init) ?? ""
                result.lines.append("")
            } else if text.hasPrefix("["), text.hasSuffix("]") {
                result.addHidden(text)
            } else if let match = text.wholeMatch(of: #/:([A-Za-z!-]+):\s*(.*)/#) {
                if match.output.1 == "author" { result.author = String(match.output.2) }
                if match.output.1 == "revdate" || match.output.1 == "date" {
                    result.date = String(match.output.2)
                }
                if match.output.1 == "keywords" {
                    result.tags += KeywordList.keywords(in: String(match.output.2))
                }
                result.addHidden(text)
            } else if let match = line.wholeMatch(of: #/(={1,6}) +(\S.*)/#) {
                let title = inline(String(match.output.2), &result)
                result.setTitle(title)
                result.lines.append(MarkdownText.heading(title, level: match.output.1.count))
            } else if let match = text.wholeMatch(of: #/([*.]{1,5}) +(.+)/#) {
                let indent = String(repeating: "    ", count: match.output.1.count - 1)
                let mark = match.output.1.hasPrefix("*") ? "- " : "1. "
                result.lines.append(indent + mark + inline(String(match.output.2), &result))
            } else {
                result.lines.append(inline(line, &result))
            }
        }
        return result
    }

    private static func inline(_ line: String, _ result: inout ConvertedMarkup) -> String {
        guard line.contains("[") else { return line }
        var output = ""
        var rest = line[...]
        while let match = rest.firstMatch(of: #/(?:link:|xref:|(?=https?:))([^\s\[\]]+)\[([^\]]*)\]/#) {
            output += rest[..<match.range.lowerBound]
            output += result.link(match.output.1, match.output.2.isEmpty ? match.output.1 : match.output.2)
            rest = rest[match.range.upperBound...]
        }
        return output + rest
    }
}

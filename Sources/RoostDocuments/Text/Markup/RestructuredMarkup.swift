import Foundation

/// The conversion of reStructuredText.
enum RestructuredMarkup {
    static func converted(_ lines: [String]) -> ConvertedMarkup {
        var result = ConvertedMarkup()
        // The levels of headings follow from the order in which their underline characters first occur.
        var levels: [String] = []
        var index = 0
        var code: Int?
        while index < lines.count {
            let line = lines[index]
            let text = line.trimmingCharacters(in: .whitespaces)
            if let indentation = code {
                let isInside = text.isEmpty || line.prefix(while: { $0 == " " }).count > indentation
                if isInside {
                    result.lines.append(line)
                    index += 1
                    continue
                }
                closeCode(&result)
                code = nil
            }
            if let (title, count, sign) = heading(lines, index) {
                if !levels.contains(sign) { levels.append(sign) }
                let level = (levels.firstIndex(of: sign) ?? 0) + 1
                result.setTitle(title)
                let heading = MarkdownText.heading(inline(title, &result), level: level)
                result.lines += count == 3 ? ["", heading, ""] : [heading, ""]
                index += count
                continue
            }
            if text.hasPrefix("..") {
                let indentation = line.prefix { $0 == " " }.count
                if let match = text.wholeMatch(of: #/\.\. (?:code-block|code|sourcecode)::\s*(\S*)/#) {
                    result.lines.append("```" + match.output.1)
                    code = indentation
                } else if text.hasPrefix(".. note::") || text.hasPrefix(".. warning::")
                    || text.hasPrefix(".. tip::")
                {
                    result.lines.append(String(text.drop { $0 != ":" }.dropFirst(2)))
                } else {
                    result.addHidden(text)
                }
            } else if text.hasPrefix(":author:") || text.hasPrefix(":Author:") {
                result.author = String(text.dropFirst(8)).trimmingCharacters(in: .whitespaces)
                result.addHidden(text)
            } else if text.lowercased().hasPrefix(":date:") {
                result.date = String(text.dropFirst(6)).trimmingCharacters(in: .whitespaces)
                result.addHidden(text)
            } else {
                result.lines.append(inline(line, &result))
            }
            index += 1
        }
        if code != nil { closeCode(&result) }
        return result
    }

    /// Ends a fence in the last empty line of the code. Without an empty line, the code ends in its last
    /// line.
    private static func closeCode(_ result: inout ConvertedMarkup) {
        let last = result.lines.indices.last ?? 0
        if !result.lines.isEmpty, result.lines[last].allSatisfy(\.isWhitespace) {
            result.lines[last] = "```"
        } else {
            result.lines.append("```")
        }
    }

    /// Returns the title of a heading, the number of its lines, and the underline that determines its level.
    private static func heading(_ lines: [String], _ index: Int) -> (String, Int, String)? {
        if let sign = rule(lines[index]), index + 2 < lines.count, rule(lines[index + 2]) == sign {
            let title = lines[index + 1].trimmingCharacters(in: .whitespaces)
            if !title.isEmpty, rule(title) == nil { return (title, 3, "over" + sign) }
        }
        guard index + 1 < lines.count, let sign = rule(lines[index + 1]), rule(lines[index]) == nil,
            let first = lines[index].first, !first.isWhitespace,
            index == 0 || lines[index - 1].allSatisfy(\.isWhitespace) || lines[index - 1].hasPrefix(".."),
            lines[index + 1].trimmingCharacters(in: .whitespaces).count + 2 >= lines[index].count
        else { return nil }
        return (lines[index].trimmingCharacters(in: .whitespaces), 2, sign)
    }

    /// Returns the character of which a line consists, if the line repeats one punctuation character at least
    /// three times; otherwise `nil`.
    private static func rule(_ line: String) -> String? {
        let text = line.trimmingCharacters(in: .whitespaces)
        guard let first = text.first, text.count >= 3, "=-~^\"'`#*+:._<>".contains(first),
            text.allSatisfy({ $0 == first })
        else { return nil }
        return String(first)
    }

    private static func inline(_ line: String, _ result: inout ConvertedMarkup) -> String {
        guard line.contains("`") else { return line }
        var output = ""
        var rest = line[...]
        while let match = rest.firstMatch(of: #/(?::[a-z:]+:)?`([^`<>]+?)\s*(?:<([^`<>]+)>)?`_{0,2}/#) {
            output += rest[..<match.range.lowerBound]
            let (label, address) = (match.output.1, match.output.2)
            if let address {
                output += result.link(address, label)
            } else {
                output += label
            }
            rest = rest[match.range.upperBound...]
        }
        // Literal text has two backquotes on each side; Markdown needs only one.
        return (output + rest).replacingOccurrences(of: "``", with: "`")
    }
}

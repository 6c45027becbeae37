import Foundation

/// The conversion of Org.
enum OrgMarkup {
    private static let states: Set = ["TO" + "DO", "DONE", "NEXT", "WAITING", "CANCELLED", "CANCELED"]

    /// Converts lines. `checkCancellation` is called before each of them.
    static func converted(
        _ lines: [String], checkCancellation: () throws -> Void
    ) rethrows -> ConvertedMarkup {
        var result = ConvertedMarkup()
        var isCode = false
        var isDrawer = false
        for line in lines {
            try checkCancellation()
            let text = line.trimmingCharacters(in: .whitespaces)
            let lowercased = text.lowercased()
            if isCode {
                isCode = !(lowercased.hasPrefix("#+end_src") || lowercased.hasPrefix("#+end_example"))
                result.lines.append(isCode ? line : "```")
            } else if lowercased.hasPrefix("#+begin_src") || lowercased.hasPrefix("#+begin_example") {
                isCode = true
                let language = text.split(separator: " ").dropFirst().first ?? ""
                result.lines.append("```" + (lowercased.hasPrefix("#+begin_src") ? language : ""))
            } else if isDrawer
                || (text.hasPrefix(":") && text.hasSuffix(":") && text.count > 2 && !text.contains(" "))
            {
                isDrawer = lowercased != ":end:"
                result.addHidden(text)
            } else if text.hasPrefix("#+") {
                keyword(text, &result)
            } else if text == "#" || text.hasPrefix("# ") {
                result.addHidden(text)
            } else if line.hasPrefix("*"), let heading = heading(line, &result) {
                result.lines.append(heading)
            } else if text.hasPrefix("|-") {
                // The line between the header and the rows of a table.
                result.lines.append(line.replacingOccurrences(of: "+", with: "|"))
            } else {
                result.lines.append(inline(line, &result))
            }
        }
        return result
    }

    /// Handles a line such as `#+TITLE: Water`.
    private static func keyword(_ text: String, _ result: inout ConvertedMarkup) {
        result.addHidden(text)
        guard let colon = text.firstIndex(of: ":") else { return }
        let value = text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        switch text[..<colon].lowercased() {
        case "#+title": result.setTitle(value)
        case "#+author": result.author = value
        case "#+date":
            // A date in brackets also states the day of the week, and possibly a time.
            let isStamp = value.hasPrefix("<") || value.hasPrefix("[")
            result.date = isStamp ? String(value.dropFirst().prefix(10)) : value
        case "#+filetags": result.addTags(tags(value[...]))
        default: break
        }
    }

    private static func tags(_ text: Substring) -> [String] {
        text.split { $0 == ":" || $0 == " " }.map(String.init)
    }

    /// Returns a line such as `** DONE Water :garden:` as a heading without the state.
    private static func heading(_ line: String, _ result: inout ConvertedMarkup) -> String? {
        let stars = line.prefix { $0 == "*" }
        guard line.dropFirst(stars.count).first == " " else { return nil }
        var words = line.dropFirst(stars.count).split(separator: " ")
        if let first = words.first, states.contains(String(first)) { words.removeFirst() }
        if let first = words.first, first.hasPrefix("[#"), first.hasSuffix("]") { words.removeFirst() }
        if let last = words.last, last.count > 2, last.hasPrefix(":"), last.hasSuffix(":") {
            for tag in tags(last) { result.addTag(tag) }
            words.removeLast()
        }
        let text = inline(words.joined(separator: " "), &result)
        return String(repeating: "#", count: min(stars.count, 6)) + " " + text
    }

    private static func inline(_ line: String, _ result: inout ConvertedMarkup) -> String {
        guard line.contains("[["), line.utf8.count <= ConvertedMarkup.maximumLineLength else { return line }
        var output = ""
        var rest = line[...]
        while let match = rest.firstMatch(of: #/\[\[([^\[\]]{1,2000})\](?:\[([^\[\]]{1,1000})\])?\]/#) {
            output += rest[..<match.range.lowerBound]
            let target = match.output.1
            let address = target.hasPrefix("file:") ? target.dropFirst(5) : target
            output += result.link(address, match.output.2 ?? address)
            rest = rest[match.range.upperBound...]
        }
        return output + rest
    }
}

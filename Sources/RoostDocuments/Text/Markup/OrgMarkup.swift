import Foundation

/// The conversion of Org.
enum OrgMarkup {
    /// The states of tasks that need no declaration.
    private static let commonStates: Set = ["TO" + "DO", "DONE", "NEXT", "WAITING", "CANCELLED", "CANCELED"]
    /// The lines that declare other states.
    private static let declarations: Set = ["#+to" + "do", "#+seq_to" + "do", "#+typ_to" + "do"]
    /// The dates of tasks, by the words before them.
    private static let planningWords = ["SCHEDULED:", "DEADLINE:", "CLOSED:"]

    // A literal in a function would be compiled for each line, which takes longer than its use.
    // Several threads can use a regular expression at the same time.
    nonisolated(unsafe) private static let link = #/\[\[([^\[\]]{1,2000})\](?:\[([^\[\]]{1,1000})\])?\]/#

    /// Converts lines. `checkCancellation` is called before each of them.
    static func converted(
        _ lines: [String], checkCancellation: () throws -> Void
    ) rethrows -> ConvertedMarkup {
        var result = ConvertedMarkup()
        let states = commonStates.union(lines.lazy.flatMap(declaredStates))
        var isCode = false
        var (isDrawer, isComment) = (false, false)
        // The level of the heading whose part of the text is a comment.
        var commentLevel: Int?
        // A block without an end is text.
        let lastCommentEnd =
            lines.lastIndex { $0.contains("#+") && $0.lowercased().contains("#+end_comment") } ?? 0
        for (index, line) in lines.enumerated() {
            try checkCancellation()
            let text = line.trimmingCharacters(in: .whitespaces)
            let lowercased = text.lowercased()
            if !isCode, !isComment, let level = headingLevel(line) {
                if level <= commentLevel ?? level { commentLevel = nil }
                if commentLevel == nil, isCommentHeading(line, states) { commentLevel = level }
            }
            if commentLevel != nil {
                isDrawer = false
                result.addHidden(text)
            } else if isCode {
                isCode = !(lowercased.hasPrefix("#+end_src") || lowercased.hasPrefix("#+end_example"))
                result.lines.append(isCode ? line : "```")
            } else if isComment || (lowercased.hasPrefix("#+begin_comment") && index < lastCommentEnd) {
                isComment = !lowercased.hasPrefix("#+end_comment")
                result.addHidden(text)
            } else if lowercased.hasPrefix("#+begin_src") || lowercased.hasPrefix("#+begin_example") {
                isCode = true
                let language = text.split(separator: " ").dropFirst().first ?? ""
                result.lines.append("```" + (lowercased.hasPrefix("#+begin_src") ? language : ""))
            } else if isDrawer
                || (text.hasPrefix(":") && text.hasSuffix(":") && text.count > 2 && !text.contains(" "))
            {
                isDrawer = lowercased != ":end:"
                if isDrawer { property(text, &result) }
                result.addHidden(text)
            } else if text.hasPrefix("#+") {
                keyword(text, &result)
            } else if text == "#" || text.hasPrefix("# ") {
                result.addHidden(text)
            } else if let dates = planning(text) {
                for (name, date) in dates { result.addProperty(name, date) }
                result.addHidden(text)
            } else if line.hasPrefix("*"), let heading = heading(line, states, &result) {
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
        let colon = text.firstIndex(of: ":") ?? text.endIndex
        let value = text[colon...].dropFirst().trimmingCharacters(in: .whitespaces)
        if text[..<colon].lowercased() == "#+caption" {
            result.lines.append(inline(value, &result))
            return
        }
        result.addHidden(text)
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

    /// Handles a line such as `:ID: 4f0c-12` or `:ROAM_ALIASES: Water "Fresh water"`. Links use the names in
    /// them, as the aliases of notes.
    private static func property(_ text: String, _ result: inout ConvertedMarkup) {
        guard let end = text.dropFirst().firstIndex(of: ":") else { return }
        let value = text[text.index(after: end)...].trimmingCharacters(in: .whitespaces)
        switch text[..<end].lowercased() {
        case ":id": result.addAlias(value)
        case ":roam_aliases":
            // Quotation marks surround names with spaces.
            for (index, part) in value.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
                if index % 2 == 1 {
                    result.addAlias(String(part))
                } else {
                    for name in part.split(separator: " ") { result.addAlias(String(name)) }
                }
            }
        default: break
        }
    }

    private static func tags(_ text: Substring) -> [String] {
        text.split { $0 == ":" || $0 == " " }.map(String.init)
    }

    /// Returns the states that a line with states, such as `OPEN(o) | SOLVED(s!)`, declares.
    private static func declaredStates(_ line: String) -> [String] {
        guard line.hasPrefix("#+"), let colon = line.firstIndex(of: ":"),
            declarations.contains(line[..<colon].lowercased())
        else { return [] }
        // The parentheses contain keys.
        return line[line.index(after: colon)...].split(separator: " ").map { $0.prefix { $0 != "(" } }
            .filter { $0.contains(where: \.isLetter) }.map(String.init)
    }

    /// Returns the names and days of a line that consists of dates of a task, such as
    /// `DEADLINE: <2025-03-14 Fri 10:00 +1w>`, or of its working time; `nil` for other lines.
    private static func planning(_ line: String) -> [(name: String, date: String)]? {
        if line.hasPrefix("CLOCK: [") { return [] }
        var dates: [(name: String, date: String)] = []
        var rest = line[...]
        while let word = planningWords.first(where: rest.hasPrefix) {
            rest = rest.dropFirst(word.count).drop { $0 == " " }
            guard let start = rest.first, start == "<" || start == "[",
                let end = rest.firstIndex(of: start == "<" ? ">" : "]")
            else { return nil }
            let date = String(rest.dropFirst().prefix(10))
            guard DocumentDates.date(fromISO: date) != nil else { return nil }
            dates.append((word.dropLast().lowercased(), date))
            rest = rest[rest.index(after: end)...].drop { $0 == " " }
        }
        return rest.isEmpty && !dates.isEmpty ? dates : nil
    }

    /// Returns a line such as `** DONE [#A] Water [1/3] :garden:` as a heading of its text. The state and the
    /// priority become properties.
    private static func heading(
        _ line: String, _ states: Set<String>, _ result: inout ConvertedMarkup
    ) -> String? {
        guard let level = headingLevel(line) else { return nil }
        var words = line.dropFirst(level).split(separator: " ")
        if let first = words.first, states.contains(String(first)) {
            result.addProperty("to" + "do", String(first))
            words.removeFirst()
        }
        if let first = words.first, first.hasPrefix("[#"), first.hasSuffix("]") {
            result.addProperty("priority", String(first.dropFirst(2).dropLast()))
            words.removeFirst()
        }
        if let last = words.last, last.count > 2, last.hasPrefix(":"), last.hasSuffix(":") {
            for tag in tags(last) { result.addTag(tag) }
            words.removeLast()
        }
        if let last = words.last, isProgress(last) { words.removeLast() }
        let text = inline(words.joined(separator: " "), &result)
        return String(repeating: "#", count: min(level, 6)) + " " + text
    }

    /// Returns the number of stars of a heading; `nil` for other lines.
    private static func headingLevel(_ line: String) -> Int? {
        guard line.utf8.first == UInt8(ascii: "*") else { return nil }
        let level = line.utf8.prefix { $0 == UInt8(ascii: "*") }.count
        return line.utf8.dropFirst(level).first == UInt8(ascii: " ") ? level : nil
    }

    /// Returns whether a heading such as `* COMMENT Draft` begins a comment, which ends at the next heading
    /// of the same or a higher level. A state and a priority can precede the word.
    private static func isCommentHeading(_ line: String, _ states: Set<String>) -> Bool {
        guard line.contains("COMMENT") else { return false }
        var words = line.drop { $0 == "*" }.split(separator: " ")[...]
        if let first = words.first, states.contains(String(first)) { words = words.dropFirst() }
        if let first = words.first, first.hasPrefix("[#"), first.hasSuffix("]") { words = words.dropFirst() }
        return words.first == "COMMENT"
    }

    /// Returns whether a word is the share of the tasks below a heading that are done: `[1/3]` or `[33%]`.
    private static func isProgress(_ word: Substring) -> Bool {
        guard word.hasPrefix("["), word.hasSuffix("]") else { return false }
        let content = word.dropFirst().dropLast()
        return (content.contains("/") || content.hasSuffix("%"))
            && content.allSatisfy { $0.isNumber || $0 == "/" || $0 == "%" }
    }

    private static func inline(_ line: String, _ result: inout ConvertedMarkup) -> String {
        guard line.contains("[["), line.utf8.count <= ConvertedMarkup.maximumLineLength else { return line }
        var output = ""
        var rest = line[...]
        while let match = rest.firstMatch(of: link) {
            output += rest[..<match.range.lowerBound]
            let target = match.output.1
            output += result.link(address(of: target), match.output.2 ?? label(of: target))
            rest = rest[match.range.upperBound...]
        }
        return output + rest
    }

    /// Returns the address of a link. A part of the file itself, or of another file after `::`, becomes a
    /// fragment: a heading (`*Name`), an id (`#name`), another text, or the number of a line. The id of a
    /// heading or file (`id:name`) is one of the aliases of its file.
    private static func address(of target: Substring) -> Substring {
        if target.hasPrefix("*") { return "#" + target.dropFirst() }
        if target.hasPrefix("fn:") || isText(target) { return target.hasPrefix("#") ? target : "#" + target }
        let path = target.hasPrefix("id:") ? target.dropFirst("id:".count) : label(of: target)
        guard !path.contains("://"), let separator = path.firstRange(of: "::") else { return path }
        let file = path[..<separator.lowerBound]
        let part = path[separator.upperBound...].drop { $0 == "*" || $0 == "#" }
        return file + (part.isEmpty || part.allSatisfy(\.isNumber) ? "" : "#" + part)
    }

    /// Returns whether the target of a link is a text in the same file, such as `<<name>>`, the name of a
    /// table, or a heading: it has no scheme, and neither a slash nor the extension of a file.
    private static func isText(_ target: Substring) -> Bool {
        guard !target.contains(":"), !target.contains("/") else { return false }
        guard let dot = target.lastIndex(of: ".") else { return true }
        let ending = target[target.index(after: dot)...]
        let isExtension =
            (1...5).contains(ending.count) && ending.first?.isLetter == true
            && ending.allSatisfy { $0.isLetter || $0.isNumber }
        return !isExtension
    }

    /// Returns the text that is shown for a link without a text.
    private static func label(of target: Substring) -> Substring {
        if target.hasPrefix("*") { return target.dropFirst() }
        return target.hasPrefix("file:") ? target.dropFirst("file:".count) : target
    }
}

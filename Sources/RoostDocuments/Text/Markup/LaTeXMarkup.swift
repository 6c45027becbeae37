import Foundation

/// The conversion of LaTeX. Formulas are not converted.
enum LaTeXMarkup {
    private static let levels = [
        "part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5,
        "subparagraph": 6,
    ]
    private static let verbatim: Set = ["verbatim", "lstlisting", "minted", "Verbatim"]

    // A literal in a function would be compiled for each line, which takes longer than its use.
    // Several threads can use a regular expression at the same time.
    nonisolated(unsafe) private static let environment = #/\\begin\{(\w+)\*?\}/#
    nonisolated(unsafe) private static let property = #/\\(title|author|date)(?:\[[^\]]*\])?\{/#
    nonisolated(unsafe) private static let note = #/\\(?:thanks|footnote|inst|orcid|email)\{[^{}]*\}/#
    nonisolated(unsafe) private static let heading =
        #/\\(part|chapter|(?:sub){0,2}section|(?:sub)?paragraph)\*?(?:\[[^\]]*\])?\{/#
    nonisolated(unsafe) private static let reference = #/\\bibitem(?:\[[^\]]*\])?\{[^}]*\}/#
    nonisolated(unsafe) private static let layout =
        #/\\(?:maketitle|tableofcontents|label|usepackage|newpage|centering|includegraphics|bibliography|vspace|hspace|addcontentsline|markboth|markright|chaptermark|sectionmark|thispagestyle|setcounter|hfill|nopagebreak|noindent\s*$)\w*\*?\s*/#
    nonisolated(unsafe) private static let nextItem = #/\s{0,8}\\item(?![A-Za-z])\s*/#
    nonisolated(unsafe) private static let beginning = #/\\begin\{[^{}]*\}(?:\[[^\]]*\])*/#
    nonisolated(unsafe) private static let end = #/\\end\{[^{}]*\}/#
    nonisolated(unsafe) private static let escape = #/\\([%&$#_{}])/#

    /// Converts lines. `checkCancellation` is called before each of them.
    static func converted(
        _ lines: [String], checkCancellation: () throws -> Void
    ) rethrows -> ConvertedMarkup {
        var result = ConvertedMarkup()
        let hasPreamble = lines.contains { $0.contains("\\begin{document}") }
        var (isPreamble, isEnded) = (hasPreamble, false)
        var comments = LaTeXComments(lines)
        var fence: String?
        // The text after a heading, for the empty line that follows.
        var textAfterHeading: String?
        for (index, line) in lines.enumerated() {
            try checkCancellation()
            if let rest = textAfterHeading {
                result.lines.append(rest)
                textAfterHeading = nil
                continue
            }
            let source = line.trimmingCharacters(in: .whitespaces)
            let isInPreamble = isPreamble
            if isPreamble, source.contains("\\begin{document}") { isPreamble = false }
            if let name = fence {
                if source.hasPrefix("\\end{\(name)}") { fence = nil }
                result.lines.append(fence == nil ? "```" : line)
                continue
            }
            let parts = LaTeXLine(line)
            if comments.hides(parts.text, at: index) {
                result.addHidden(source)
                continue
            }
            let text = parts.restored(parts.text).trimmingCharacters(in: .whitespaces)
            readProperties(text, following: lines[(index + 1)...].prefix(4), &result)
            isEnded = isEnded || text.hasPrefix("\\end{document}")
            if isEnded || isInPreamble || source.hasPrefix("%") {
                result.addHidden(source)
            } else if text.hasPrefix("\\begin"), let match = text.prefixMatch(of: environment),
                verbatim.contains(String(match.output.1))
            {
                fence = String(match.output.1)
                result.lines.append("```")
            } else {
                let isBeforeEmptyLine = lines[(index + 1)...].first?.allSatisfy(\.isWhitespace) ?? true
                textAfterHeading = append(parts.text, of: parts, isBeforeEmptyLine, &result)
            }
        }
        if let textAfterHeading { result.lines.append(textAfterHeading) }
        return result
    }

    /// Converts a line whose code is replaced, and appends it.
    ///
    /// - Returns: The text after a heading, if it belongs in the empty line after the heading.
    private static func append(
        _ line: String, of parts: LaTeXLine, _ isBeforeEmptyLine: Bool, _ result: inout ConvertedMarkup
    ) -> String? {
        let firstLink = result.links.count
        let converted = parts.restored(convertedLine(line, isBeforeEmptyLine, &result))
        for index in result.links[firstLink...].indices {
            result.links[index].text = result.links[index].text.map(parts.restored)
        }
        let lineEnd = converted.firstIndex(of: "\n")
        result.lines.append(String(converted[..<(lineEnd ?? converted.endIndex)]))
        return lineEnd.map { String(converted[converted.index(after: $0)...]) }
    }

    /// Reads `\title`, `\author` and `\date`, whose values can continue in the lines that follow.
    private static func readProperties(
        _ text: String, following: ArraySlice<String>, _ result: inout ConvertedMarkup
    ) {
        guard text.hasPrefix("\\"),
            let match = text.prefixMatch(of: property)
        else { return }
        let rest = ([String(text[match.range.upperBound...])] + following).joined(separator: " ")
        guard let argument = argument(in: rest[...]) else { return }
        let value = MarkdownText.singleLine(
            plain(
                String(argument.content)
                    .replacing(note, with: "")
                    .replacingOccurrences(of: "\\\\", with: " ")))
        switch match.output.1 {
        case "title": result.setTitle(value)
        case "author":
            if !value.isEmpty { result.author = value.replacingOccurrences(of: " , ", with: ", ") }
        default: result.date = value
        }
    }

    /// Returns a line as Markdown, in two lines if a text follows a heading and the second one has room.
    private static func convertedLine(
        _ line: String, _ isBeforeEmptyLine: Bool, _ result: inout ConvertedMarkup
    ) -> String {
        guard line.utf8.count <= ConvertedMarkup.maximumLineLength else { return line }
        let line = withoutEnvironments(line)
        let text = line.trimmingCharacters(in: .whitespaces)
        if text.hasPrefix("\\"), !text.hasPrefix("\\title"),
            let match = text.prefixMatch(of: heading),
            let argument = argument(in: text[match.range.upperBound...])
        {
            let content = plain(String(argument.content))
            let level = levels[String(match.output.1)] ?? 2
            return convertedHeading(content, level: level, rest: argument.rest, isBeforeEmptyLine, &result)
        }
        if text.hasPrefix("\\bibitem"),
            let match = text.prefixMatch(of: reference)
        {
            let source = String(text[match.range.upperBound...])
            return "- " + convertedLinks(source, &result).trimmingCharacters(in: .whitespaces)
        }
        if text.hasPrefix("\\item") {
            // Each line is converted to one line, so further items follow in it.
            let items = String(text.dropFirst(5)).replacing(nextItem, with: "; ")
            return "- " + convertedLinks(items, &result).trimmingCharacters(in: .whitespaces)
        }
        if text.hasPrefix("\\"), text.prefixMatch(of: layout) != nil {
            return convertedLinks(withoutLayout(text), &result).trimmingCharacters(in: .whitespaces)
        }
        return convertedLinks(line, &result)
    }

    /// The highest level of headings that are printed at the beginning of a paragraph.
    private static let runInLevel = 5

    /// Returns the line of a heading and the text after it, which is not part of the heading.
    ///
    /// Each line is converted to one line. So the heading moves to an empty line before it, or the text to
    /// one after it. If there is neither, the text stays in the heading, and that of a paragraph is the
    /// beginning of the text.
    private static func convertedHeading(
        _ content: String, level: Int, rest: Substring, _ isBeforeEmptyLine: Bool,
        _ result: inout ConvertedMarkup
    ) -> String {
        let heading = MarkdownText.heading(content, level: level)
        let rest = withoutReferences(String(rest)).trimmingCharacters(in: .whitespaces)
        guard !rest.isEmpty, !heading.isEmpty else { return heading + plain(rest) }
        if rest.hasPrefix("\\footnote{"), let note = argument(in: rest.dropFirst("\\footnote{".count)),
            note.rest.allSatisfy(\.isWhitespace)
        {
            return heading + plain(rest)
        }
        let text = convertedLinks(withoutLayout(rest), &result).trimmingCharacters(in: .whitespaces)
        guard !text.isEmpty else { return heading }
        if level < runInLevel, result.lines.last == "" {
            result.lines[result.lines.count - 1] = heading
            return text
        }
        if level < runInLevel { return heading + (isBeforeEmptyLine ? "\n" : " ") + text }
        return "**" + MarkdownText.singleLine(content) + "** " + text
    }

    /// Returns a line with its links as links of Markdown.
    private static func convertedLinks(_ line: String, _ result: inout ConvertedMarkup) -> String {
        // In a line that contains such characters itself, only the texts of links are kept.
        var links = PrivateCharacters(.second)
        guard line.contains("\\href") || line.contains("\\url"), !links.occur(in: line.utf8) else {
            return plain(line)
        }
        let commands = LaTeXArguments(line)
        var output = ""
        var (start, position) = (0, 0)
        while let backslash = commands.backslash(from: position) {
            let name = commands.name(after: backslash)
            // A sign after a backslash is text, and a second backslash ends a line.
            position = max(name.upperBound, min(backslash + 2, commands.bytes.count))
            let command = commands.text(name)
            guard command == "href" || command == "url", let first = commands.argument(at: name.upperBound)
            else { continue }
            var label = first
            if command == "href" {
                guard let second = commands.argument(at: first.upperBound + 1) else { continue }
                label = second
            }
            let address = commands.text(first)
            let link = result.link(address[...], plain(commands.text(label))[...])
            // An address can contain signs that are markup elsewhere, so a character stands for the link.
            // The rest of the line is converted as a whole, because a command can contain a link.
            output += commands.text(start..<backslash) + links.character(for: link)
            start = label.upperBound + 1
            position = start
        }
        return links.restored(plain(output + commands.text(start..<commands.bytes.count)))
    }

    /// The maximum number of environments that begin in one line and are removed.
    private static let maximumEnvironments = 16

    /// Returns a line without the commands for the layout at its beginning and their arguments.
    private static func withoutLayout(_ line: String) -> String {
        var rest = line[...]
        // Lines have few commands. Without the limit, the time would be quadratic.
        for _ in 0..<maximumEnvironments {
            guard let match = rest.prefixMatch(of: layout) else { break }
            rest = withoutArguments(rest[match.range.upperBound...]).drop(while: \.isWhitespace)
        }
        return String(rest)
    }

    /// Returns a text without the arguments in brackets and braces at its beginning.
    private static func withoutArguments(_ text: Substring) -> Substring {
        var rest = text
        for _ in 0..<maximumEnvironments {
            if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
                rest = rest[rest.index(after: end)...]
            } else if rest.hasPrefix("{") {
                // An argument that continues in the next line has no text for readers.
                guard let found = argument(in: rest.dropFirst()) else { return "" }
                rest = found.rest
            } else {
                break
            }
        }
        return rest
    }

    /// Returns a line without the beginnings and the ends of environments and the arguments of environments,
    /// such as the columns of a table.
    private static func withoutEnvironments(_ line: String) -> String {
        guard line.contains("\\begin{") || line.contains("\\end{") else { return line }
        var contents = line[...]
        for _ in 0..<maximumEnvironments {
            let text = contents.drop(while: \.isWhitespace)
            guard let start = text.prefixMatch(of: beginning) else { break }
            contents = withoutArguments(text[start.range.upperBound...])
        }
        return contents.replacing(end, with: "").trimmingCharacters(in: .whitespaces)
    }

    /// Returns the argument of a command after its opening brace, and the text after its closing brace; `nil`
    /// if no brace closes it.
    private static func argument(in text: Substring) -> (content: Substring, rest: Substring)? {
        var depth = 1
        var previous: Character = " "
        for index in text.indices {
            if previous != "\\" {
                if text[index] == "{" { depth += 1 }
                if text[index] == "}" { depth -= 1 }
                if depth == 0 { return (text[..<index], text[text.index(after: index)...]) }
            }
            previous = text[index]
        }
        return nil
    }

    /// Returns a text without commands: `\emph{x}` becomes `x`. References are removed.
    private static func plain(_ text: String) -> String {
        guard text.contains(where: { "\\~{}`'-".contains($0) }) else { return text }
        var output = LaTeXText.decoded(text)
        // Most lines have no commands with arguments and no groups.
        if output.contains("}") { output = withoutCommands(output) }
        if output.contains("\\") { output = output.replacing(escape) { String($0.output.1) } }
        output = output.replacingOccurrences(of: "\\\\", with: "")
        output = output.replacingOccurrences(of: "~", with: " ")
        output = output.replacingOccurrences(of: "``", with: "“").replacingOccurrences(of: "''", with: "”")
        return output.replacingOccurrences(of: "---", with: "—").replacingOccurrences(of: "--", with: "–")
    }

    /// The commands that refer to other places, with their arguments in brackets and braces.
    private static let references: Set = [
        "cite", "citep", "citet", "ref", "eqref", "label", "pageref", "autoref", "index",
    ]

    /// Returns a text without references and the spaces before them.
    private static func withoutReferences(_ text: String) -> String {
        let commands = LaTeXArguments(text)
        var output = ""
        var (start, position) = (0, 0)
        while let backslash = commands.backslash(from: position) {
            let name = commands.name(after: backslash)
            position = name.upperBound
            guard references.contains(commands.text(name)),
                let argument = commands.argument(at: commands.indexAfterOptions(at: name.upperBound))
            else { continue }
            output += commands.text(start..<backslash)
            while let last = output.last, last.isWhitespace { output.removeLast() }
            start = argument.upperBound + 1
            position = start
        }
        return output + commands.text(start..<commands.bytes.count)
    }

    /// Returns a text without references, and with the arguments of commands in place of the commands.
    private static func withoutCommands(_ text: String) -> String {
        LaTeXCommands.replaced(in: withoutReferences(text))
    }
}

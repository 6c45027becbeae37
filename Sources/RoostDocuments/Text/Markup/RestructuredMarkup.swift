import Foundation

/// The conversion of reStructuredText.
struct RestructuredMarkup {
    /// The directives whose arguments and contents are not text of the document.
    private static let hiddenDirectives: Set = [
        "image", "contents", "toctree", "include", "literalinclude", "raw", "index", "highlight", "meta",
        "default-role", "role", "currentmodule", "module", "class", "sectnum", "autosummary", "automodule",
        "autoclass", "autofunction", "plot", "graphviz",
    ]

    /// The lines that follow a line with less indentation.
    private enum Body {
        /// The options of a directive, and then its contents. A language makes them a block of code.
        case options(language: String?)
        /// Code, which ends at the next line with less indentation.
        case code
        /// A comment or a directive that is not shown.
        case hidden
        /// A literal block, whose first line has not been read.
        case literal
    }

    // A literal in a function would be compiled for each line, which takes longer than its use.
    // Several threads can use a regular expression at the same time.
    nonisolated(unsafe) private static let tableRule = #/\+[-=+]+\+|=+( +=+)+/#
    nonisolated(unsafe) private static let option = #/:[\w-]+:.*/#
    nonisolated(unsafe) private static let footnote = #/\.\. (\[[^\]]+\] .*)/#
    nonisolated(unsafe) private static let directive = #/\.\. ([\w:-]+?):: *(.*)/#
    nonisolated(unsafe) private static let automaticNumber = #/^(\s*)#\. /#
    nonisolated(unsafe) private static let citation = #/(\[[^\[\]]{1,40}\])_(?![\w`])/#
    nonisolated(unsafe) private static let role =
        #/``(.{1,1000}?)``|(?::[a-z:]{1,40}:)?`([^`<>]{1,500}?)\s{0,8}(?:<([^`<>]{1,2000})>)?`_{0,2}/#

    private let lines: [String]
    private var names: RestructuredNames
    private var result = ConvertedMarkup()
    /// The levels of headings follow from the order in which their underline characters first occur.
    private var levels: [String] = []
    private var body: Body?
    private var indentation = 0

    private init(_ lines: [String]) {
        self.lines = lines
        names = RestructuredNames(lines)
    }

    /// Converts lines. `checkCancellation` is called before each of them.
    static func converted(
        _ lines: [String], checkCancellation: () throws -> Void
    ) rethrows -> ConvertedMarkup {
        var converter = RestructuredMarkup(lines)
        var index = 0
        while index < lines.count {
            try checkCancellation()
            index += converter.read(index)
        }
        if case .code = converter.body { converter.closeCode() }
        return converter.result
    }

    /// Reads the lines at an index and returns their number.
    private mutating func read(_ index: Int) -> Int {
        let line = lines[index]
        let text = line.trimmingCharacters(in: .whitespaces)
        if body != nil, readBody(line, text) { return 1 }
        if let (title, count, sign) = Self.heading(lines, index) {
            if !levels.contains(sign) { levels.append(sign) }
            let level = (levels.firstIndex(of: sign) ?? 0) + 1
            let content = inline(title)
            if result.title == nil { result.setTitle(HeadingText.text(ofMarkdown: content)) }
            let heading = MarkdownText.heading(content, level: level)
            result.lines += count == 3 ? ["", heading, ""] : [heading, ""]
            return count
        }
        if text == ".." || text.hasPrefix(".. ") {
            readDirective(text)
            indentation = line.prefix { $0 == " " }.count
        } else if text.lowercased().hasPrefix(":author:") {
            result.author = String(text.dropFirst(8)).trimmingCharacters(in: .whitespaces)
            result.addHidden(text)
        } else if text.lowercased().hasPrefix(":date:") {
            result.date = String(text.dropFirst(6)).trimmingCharacters(in: .whitespaces)
            result.addHidden(text)
        } else if text.lowercased().hasPrefix(":tags:") || text.lowercased().hasPrefix(":keywords:") {
            let value = text.dropFirst().drop { $0 != ":" }.dropFirst()
            result.addTags(value.split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty })
            result.addHidden(text)
        } else if text.wholeMatch(of: Self.tableRule) != nil {
            // A line of a table
            result.lines.append("")
        } else {
            if text.hasSuffix("::") {
                body = .literal
                indentation = line.prefix { $0 == " " }.count
            }
            let content = text.hasSuffix("::") ? String(line.dropLast(text == "::" ? 2 : 1)) : line
            result.lines.append(inline(content))
        }
        return 1
    }

    /// Reads a line that can belong to the present body; returns whether it does.
    private mutating func readBody(_ line: String, _ text: String) -> Bool {
        let isInside = line.prefix { $0 == " " || $0 == "\t" }.count > indentation
        switch body {
        case .options(let language):
            if isInside, text.wholeMatch(of: Self.option) != nil {
                result.lines.append(language == nil ? visibleOption(text) ?? "" : "")
                return true
            }
            body = nil
            guard let language, isInside || text.isEmpty else { return false }
            // The code begins after the options.
            result.lines[result.lines.count - 1] = "```" + language
            result.lines.append(line)
            body = .code
            return true
        case .code:
            if isInside || text.isEmpty {
                result.lines.append(line)
                return true
            }
            closeCode()
        case .hidden:
            if isInside || text.isEmpty {
                if let option = visibleOption(text) {
                    result.lines.append(option)
                } else {
                    result.addHidden(text)
                }
                return true
            }
        case .literal:
            if text.isEmpty {
                result.lines.append("")
                return true
            }
            if isInside {
                result.lines[result.lines.count - 1] += result.lines.last?.isEmpty == true ? "```" : ""
                let isFenced = result.lines.last == "```"
                result.lines.append(line)
                body = isFenced ? .code : nil
                return true
            }
        case nil: break
        }
        body = nil
        return false
    }

    /// Returns the text of an option that readers see: the description of an image, or the header of a table;
    /// `nil` for other lines.
    private mutating func visibleOption(_ text: String) -> String? {
        for name in [":alt:", ":header:"] where text.hasPrefix(name) {
            return inline(text.dropFirst(name.count).trimmingCharacters(in: .whitespaces))
        }
        return nil
    }

    /// Reads a line that begins with two full stops: a comment, a target, a footnote or a directive.
    private mutating func readDirective(_ text: String) {
        if let match = text.wholeMatch(of: Self.footnote) {
            result.lines.append(inline(String(match.output.1)))
        } else if let match = text.wholeMatch(of: Self.directive) {
            let (name, argument) = (String(match.output.1), String(match.output.2))
            if ["code-block", "code", "sourcecode"].contains(name) {
                result.lines.append("")
                body = .options(language: argument)
            } else if Self.hiddenDirectives.contains(name) {
                result.addHidden(text)
                body = .hidden
            } else {
                // The argument of a figure is an address; that of other directives is text.
                if name == "figure" { result.addHidden(text) }
                if name != "figure" { result.lines.append(inline(argument)) }
                body = .options(language: nil)
            }
        } else {
            result.addHidden(text)
            body = .hidden
        }
    }

    /// Ends a fence in the last empty line of the code. Without an empty line, the code ends in its last
    /// line.
    private mutating func closeCode() {
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

    private mutating func inline(_ line: String) -> String {
        // Items that are numbered automatically
        var line = line.replacing(Self.automaticNumber) { "\($0.output.1)1. " }
        guard line.utf8.count <= ConvertedMarkup.maximumLineLength else { return line }
        line = names.replacingSubstitutions(in: line)
        guard line.utf8.count <= ConvertedMarkup.maximumLineLength, line.contains("`") || line.contains("_")
        else { return line }
        if line.contains("]_") { line = line.replacing(Self.citation) { String($0.output.1) } }
        var output = ""
        var rest = line[...]
        // Literal text has two backquotes on each side; Markdown needs only one.
        while let match = rest.firstMatch(of: Self.role) {
            output += names.linking(rest[..<match.range.lowerBound], &result)
            if let literal = match.output.1 {
                output += "`\(literal)`"
            } else if let label = match.output.2 {
                let isReference = match.output.0.hasSuffix("`_")
                // Other roles name a label or an object of a program, and not an address.
                let namesAddress = ["`", ":doc:", ":download:"].contains { match.output.0.hasPrefix($0) }
                let stated = namesAddress ? match.output.3 : nil
                let address: Substring?
                if let stated, !(isReference && stated.hasSuffix("_")) {
                    address = stated
                } else {
                    // The name of a target can also be stated in angle brackets: `the pump <Pump_>`_
                    address = isReference ? names.address(of: stated?.dropLast() ?? label) : nil
                }
                output += address.map { result.link($0, label) } ?? String(label)
            }
            rest = rest[match.range.upperBound...]
        }
        return output + names.linking(rest, &result)
    }
}

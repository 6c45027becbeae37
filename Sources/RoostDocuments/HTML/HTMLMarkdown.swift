import Foundation

/// Writes the blocks of a page as Markdown.
struct HTMLMarkdown {
    private let page: HTMLPage
    private(set) var text = ""
    private var previous: Context?
    /// For each numbered list, its last item that has been written and the number of that item.
    private var numbers: [Int: (item: Int, number: Int)] = [:]

    /// The elements around a block that determine its Markdown.
    private struct Context {
        var kind: HTMLBlock.Kind
        var headingLevel: Int?
        /// The list items that contain the block, the outermost first.
        var items: [Int] = []
        var quotes: [Int] = []
        var table: Int?
        var isTerm = false
    }

    private let isDeleted: [Bool]
    private let layoutItems: Set<Int>

    private init(_ page: HTMLPage) {
        self.page = page
        isDeleted = page.tree.deletedNodes()
        layoutItems = Self.layoutItems(of: page.tree)
    }

    /// Returns the items of lists that arrange sections with headings.
    private static func layoutItems(of tree: HTMLTree) -> Set<Int> {
        var result: Set<Int> = []
        for index in tree.nodes.indices where ["h1", "h2", "h3", "h4", "h5"].contains(tree.nodes[index].tag) {
            for ancestor in tree.ancestors(of: index) where tree.nodes[ancestor].tag == "li" {
                // The items around a known one are known, too.
                guard result.insert(ancestor).inserted else { break }
            }
        }
        return result
    }

    /// Returns the Markdown of blocks, in order.
    static func text(of blocks: [HTMLBlock], in page: HTMLPage) -> String {
        var writer = HTMLMarkdown(page)
        for block in blocks { writer.write(block) }
        return writer.text
    }

    private mutating func write(_ block: HTMLBlock) {
        let context = context(of: block)
        let quote = String(repeating: "> ", count: context.quotes.count)
        let body = body(of: block, context)
        guard !body.isEmpty else { return }
        let (marker, indent) = listPrefix(context)
        let continuesTable = context.table != nil && context.table == previous?.table
        if !text.isEmpty { text += separator(before: context, quote: quote) }
        var lines = body.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if block.kind == .row, !continuesTable {
            let columns = max(1, cells(of: block).count)
            lines.append("|" + String(repeating: " --- |", count: columns))
        }
        let first = quote + marker
        let rest = quote + indent
        text += lines.enumerated().map { ($0 == 0 ? first : rest) + $1 }.joined(separator: "\n")
        previous = context
    }

    private func separator(before context: Context, quote: String) -> String {
        guard let previous else { return "\n" }
        let isSameTable = context.table != nil && context.table == previous.table
        let isSameList =
            !context.items.isEmpty && !previous.items.isEmpty
            && context.items.last != previous.items.last && context.quotes == previous.quotes
        if isSameTable || isSameList || (previous.isTerm && !context.isTerm) { return "\n" }
        let isSameQuote = !context.quotes.isEmpty && context.quotes == previous.quotes
        return isSameQuote ? "\n" + quote.trimmingCharacters(in: .whitespaces) + "\n" : "\n\n"
    }

    private func context(of block: HTMLBlock) -> Context {
        var context = Context(kind: block.kind)
        var node = block.container
        while node > 0 {
            let tag = page.tree.nodes[node].tag
            switch tag {
            case "h1", "h2", "h3", "h4", "h5", "h6":
                if context.headingLevel == nil { context.headingLevel = tag.last?.wholeNumberValue }
            case "li": if !layoutItems.contains(node) { context.items.insert(node, at: 0) }
            case "blockquote": context.quotes.insert(node, at: 0)
            case "table": if block.kind == .row, context.table == nil { context.table = node }
            case "dt": context.isTerm = true
            default: break
            }
            node = page.tree.nodes[node].parent
        }
        return context
    }

    /// Returns the beginning of a block's first line, with the marker of the list item if the block is the
    /// first one in its item, and the beginning of its other lines.
    private mutating func listPrefix(_ context: Context) -> (marker: String, indent: String) {
        guard let item = context.items.last, context.headingLevel == nil else { return ("", "") }
        let outer = String(repeating: "  ", count: min(8, context.items.count - 1))
        let marker = marker(of: item)
        let indent = outer + String(repeating: " ", count: marker.count)
        return (previous?.items.contains(item) == true ? indent : outer + marker, indent)
    }

    private mutating func marker(of item: Int) -> String {
        let list = page.tree.nodes[item].parent
        guard list >= 0, page.tree.nodes[list].tag == "ol" else { return "- " }
        let isReversed = page.tree.nodes[list].attribute("reversed") != nil
        // Blocks are written in order, so that counting from the last item takes linear time.
        var (sibling, number) = numbers[list] ?? (list + 1, firstNumber(of: list, isReversed: isReversed))
        while sibling < item {
            if page.tree.nodes[sibling].tag == "li" {
                number = (integer("value", of: sibling) ?? number) + (isReversed ? -1 : 1)
            }
            sibling = page.tree.nodes[sibling].end
        }
        number = integer("value", of: item) ?? number
        numbers[list] = (item, number)
        return "\(number). "
    }

    /// Returns the number of the first item of a numbered list.
    private func firstNumber(of list: Int, isReversed: Bool) -> Int {
        if let start = integer("start", of: list) { return start }
        guard isReversed else { return 1 }
        let end = page.tree.nodes[list].end
        return sequence(first: list + 1) { page.tree.nodes[$0].end }.prefix { $0 < end }
            .count { page.tree.nodes[$0].tag == "li" }
    }

    private func integer(_ attribute: String, of element: Int) -> Int? {
        page.tree.nodes[element].attribute(attribute).flatMap { Int($0.prefix(6)) }
    }

    // MARK: Text

    /// The elements that begin a line of code.
    private static let lineElements: Set<String> = ["div", "li", "p", "tr"]

    private func body(of block: HTMLBlock, _ context: Context) -> String {
        switch block.kind {
        case .code: return code(block)
        case .row:
            let cells = cells(of: block).map { Self.escaped($0).replacingOccurrences(of: "|", with: "\\|") }
            return "| " + cells.joined(separator: " | ") + " |"
        case .text:
            let lines = lines(of: block)
            guard let level = context.headingLevel else {
                return lines.map(Self.escaped).joined(separator: "\n")
            }
            let heading = withoutEditLink(lines.joined(separator: " "), of: block)
            return String(repeating: "#", count: level) + " " + Self.escaped(heading)
        }
    }

    /// Returns a heading without links in brackets at its end, with which wikis offer to edit the section.
    private func withoutEditLink(_ heading: String, of block: HTMLBlock) -> String {
        guard block.links > 0, block.linkWords < block.counts.words,
            let start = Self.startOfBracketsAtEnd(of: heading), start > heading.startIndex
        else { return heading }
        let linkTexts = block.texts.filter { index in
            guard let link = page.tree.enclosingLink(index) else { return false }
            return page.tree.nodes[link].attribute("href")?.lowercased().contains("edit") == true
        }
        func words(_ text: String) -> [Substring] { text.split { !$0.isLetter && !$0.isNumber } }
        let offered = words(linkTexts.map { page.tree.nodes[$0].text }.joined(separator: " "))
        guard !offered.isEmpty, offered == words(String(heading[start...])) else { return heading }
        return String(heading[..<start])
    }

    /// Returns the start of a short text in brackets at the end of a text, with the spaces before it; `nil`
    /// if there is none.
    private static func startOfBracketsAtEnd(of text: String) -> String.Index? {
        guard text.last == "]", let bracket = text.lastIndex(of: "[") else { return nil }
        let content = text[text.index(after: bracket)...].dropLast()
        guard (1...60).contains(content.count), !content.contains("]") else { return nil }
        let before = text[..<bracket]
        return before.lastIndex { !$0.isWhitespace }.map(before.index(after:)) ?? text.startIndex
    }

    private func lines(of block: HTMLBlock) -> [String] {
        var lines = [MarkedText()]
        for (position, index) in block.texts.enumerated() {
            let isAfterBreak =
                position > 0
                && (block.texts[position - 1]..<index).contains { page.tree.nodes[$0].tag == "br" }
            if isAfterBreak { lines.append(MarkedText()) }
            lines[lines.count - 1].append(page.tree.nodes[index].text, isDeleted: isDeleted[index])
        }
        return lines.map { $0.finished() }.filter { !$0.isEmpty }
    }

    private func cells(of block: HTMLBlock) -> [String] {
        var cells: [String] = []
        var index = block.container + 1
        while index < page.tree.nodes[block.container].end {
            let node = page.tree.nodes[index]
            if node.tag == "td" || node.tag == "th" { cells.append(cellText(index)) }
            index = node.end
        }
        return cells
    }

    private func cellText(_ cell: Int) -> String {
        var result = MarkedText()
        for index in cell..<page.tree.nodes[cell].end {
            if page.tree.nodes[index].isText {
                result.append(page.tree.nodes[index].text, isDeleted: isDeleted[index])
            } else if ["br", "p", "div", "li"].contains(page.tree.nodes[index].tag) {
                result.append(" ", isDeleted: isDeleted[index])
            }
        }
        return result.finished()
    }

    private func code(_ block: HTMLBlock) -> String {
        var code = ""
        let lineStarts = PageCode.lineStarts(in: block.container, of: page.tree)
        for (position, index) in block.texts.enumerated() {
            if position > 0 {
                let between = block.texts[position - 1]..<index
                // Some programs write an element for each line instead of line breaks.
                let isNewLine = between.contains {
                    Self.lineElements.contains(page.tree.nodes[$0].tag) || lineStarts.contains($0)
                }
                if between.contains(where: { page.tree.nodes[$0].tag == "br" })
                    || isNewLine && code.last != "\n"
                {
                    code += "\n"
                }
            }
            code += page.tree.nodes[index].text
        }
        code = code.replacingOccurrences(of: "\r\n", with: "\n").replacingOccurrences(
            of: "\u{200B}", with: ""
        ).replacingOccurrences(of: "\u{A0}", with: " ")
        while code.hasSuffix("\n") || code.hasSuffix(" ") { code.removeLast() }
        code = String(code.drop { $0 == "\n" })
        return MarkdownText.fence(code, language: language(of: block.container))
    }

    /// Returns the programming language of a preformatted text, from a class such as `language-swift`.
    private func language(of element: Int) -> String {
        for index in element..<min(page.tree.nodes[element].end, element + 4) {
            for name in (page.tree.nodes[index].attribute("class") ?? "").split(separator: " ") {
                for prefix in ["language-", "lang-", "brush:"] where name.hasPrefix(prefix) {
                    let language = name.dropFirst(prefix.count)
                    if language.allSatisfy({ $0.isLetter || $0.isNumber || "+#-".contains($0) }) {
                        return language.lowercased()
                    }
                }
            }
        }
        return ""
    }

    // A literal in the function would be compiled for each line, which takes longer than its use.
    // Several threads can use a regular expression at the same time.
    nonisolated(unsafe) private static let tagStart = #/<(?=[A-Za-z\/?])/#

    /// Returns a line with a backslash before characters that would begin a block, a tag or a comment.
    private static func escaped(_ line: String) -> String {
        var line = MarkdownText.escaped(line)
        if line.hasPrefix("- ") || line.hasPrefix("* ") || line.hasPrefix("+ ") { line = "\\" + line }
        guard line.contains("<") else { return line }
        return line.replacing(tagStart, with: "\\<")
    }
}

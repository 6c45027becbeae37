import Foundation

struct HTMLMarkdown {
    private let tree: HTMLTree
    private var text = ""
    private var previous: Context?
    /// For each numbered list, its last item that has been written and the number of that item.
    private var numbers: [Int: (item: Int, number: Int)] = [:]

    /// The elements around a block that determine its Markdown.
    private struct Context {
        var headingLevel: Int?
        /// The list items that contain the block, the outermost first.
        var items: [Int] = []
        var quotes: [Int] = []
        var table: Int?
        var isTerm = false
    }

    static func text(of blocks: [HTMLBlock], in page: HTMLPage) -> String {
        var writer = HTMLMarkdown(tree: page.tree)
        for block in blocks { writer.write(block) }
        return writer.text
    }

    private init(tree: HTMLTree) { self.tree = tree }

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
        var context = Context()
        var node = block.container
        while node > 0 {
            let element = tree.nodes[node]
            context.headingLevel = context.headingLevel ?? element.headingLevel
            switch element.tag {
            case "li": context.items.insert(node, at: 0)
            case "blockquote": context.quotes.insert(node, at: 0)
            case "table": if block.kind == .row, context.table == nil { context.table = node }
            case "dt": context.isTerm = true
            default: break
            }
            node = element.parent
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
        let list = tree.nodes[item].parent
        guard list >= 0, tree.nodes[list].tag == "ol" else { return "- " }
        let start = tree.nodes[list].attribute("start").flatMap { Int($0.prefix(6)) }
        // Blocks are written in order, so that counting from the last item takes linear time.
        var (sibling, number) = numbers[list] ?? (list + 1, start ?? 1)
        while sibling < item {
            if tree.nodes[sibling].tag == "li" { number += 1 }
            sibling = tree.nodes[sibling].end
        }
        numbers[list] = (item, number)
        return "\(number). "
    }

    // MARK: Text

    /// The elements that begin a line of code, and a word in a cell.
    private static let lineElements: Set<String> = ["br", "div", "li", "p", "tr"]

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
            return String(repeating: "#", count: level) + " " + Self.escaped(lines.joined(separator: " "))
        }
    }

    private func lines(of block: HTMLBlock) -> [String] {
        var lines = [CollapsedText()]
        for (position, index) in block.texts.enumerated() {
            let isAfterBreak =
                position > 0 && (block.texts[position - 1]..<index).contains { tree.nodes[$0].tag == "br" }
            if isAfterBreak { lines.append(CollapsedText()) }
            lines[lines.count - 1].append(tree.nodes[index].text)
        }
        return lines.map(\.text).filter { !$0.isEmpty }
    }

    private func cells(of block: HTMLBlock) -> [String] {
        let texts = Set(block.texts)
        var cells: [String] = []
        var index = block.container + 1
        while index < tree.nodes[block.container].end {
            let node = tree.nodes[index]
            if node.tag == "td" || node.tag == "th" { cells.append(cellText(index..<node.end, texts)) }
            index = node.end
        }
        return cells
    }

    private func cellText(_ cell: Range<Int>, _ texts: Set<Int>) -> String {
        var result = CollapsedText()
        for index in cell {
            if texts.contains(index) {
                result.append(tree.nodes[index].text)
            } else if Self.lineElements.contains(tree.nodes[index].tag) {
                result.appendSpace()
            }
        }
        return result.text
    }

    private func code(_ block: HTMLBlock) -> String {
        var code = ""
        for (position, index) in block.texts.enumerated() {
            if position > 0 {
                let tags = (block.texts[position - 1]..<index).map { tree.nodes[$0].tag }
                // Some programs write an element for each line instead of line breaks.
                let isNewLine = tags.contains(where: Self.lineElements.contains) && code.last != "\n"
                if isNewLine || tags.contains("br") { code += "\n" }
            }
            code += tree.nodes[index].text
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
        for index in element..<min(tree.nodes[element].end, element + 4) {
            for name in tree.nodes[index].classes {
                for prefix in ["language-", "lang-"] where name.hasPrefix(prefix) {
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

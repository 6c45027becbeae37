/// A paragraph, heading, list item, table row or other text that a browser shows as a unit.
struct HTMLBlock: Sendable {
    enum Kind: Sendable {
        case text
        case code
        case row
    }

    var kind: Kind
    /// The index of the innermost block element that contains the text.
    var container: Int
    var texts: [Int] = []
    var text = ""
    var counts = TextCounts()
    var linkWords = 0
    var links = 0
}

struct HTMLSegmenter {
    /// The elements that do not interrupt a line of text.
    private static let inlineElements: Set<String> = [
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "cite", "code", "data", "del", "dfn", "em",
        "font", "i", "img", "ins", "kbd", "label", "mark", "math", "mfrac", "mi", "mn", "mo", "mrow", "msub",
        "msup", "mtext", "nobr", "picture", "q", "rb", "ruby", "s", "samp", "small", "source",
        "span", "strike", "strong", "sub", "sup", "svg", "time", "tt", "u", "var", "wbr", "semantics",
        "input", "output", "slot",
    ]
    /// The elements that contain one line of text.
    private static let lineElements: Set<String> = [
        "p", "h1", "h2", "h3", "h4", "h5", "h6", "dt", "li", "span", "a",
    ]
    /// The elements whose contents are not shown as text.
    private static let omittedElements: Set<String> = [
        "head", "script", "style", "template", "noscript", "iframe", "object", "embed", "canvas", "audio",
        "video", "noframes", "noembed", "datalist", "annotation", "annotation-xml", "param", "map",
        "textarea", "svg", "option", "optgroup", "rt", "rp",
    ]
    /// The classes of elements that KaTeX and MediaWiki add: a second form of each formula, and links to edit
    /// a section.
    private static let omittedClasses: Set<Substring> = ["katex-html", "mw-editsection"]
    /// The classes of elements with the numbers of lines of code.
    private static let lineNumberClasses: Set<Substring> = [
        "linenos", "lineno", "linenumber", "line-number", "line-numbers", "gutter", "hljs-ln-numbers",
        "rouge-gutter", "lnt", "ln",
    ]
    private static let maximumPermalinkNodes = 16
    private static let maximumCellWords = 60

    private let tree: HTMLTree
    private let includesNoScript: Bool
    private var blocks: [HTMLBlock] = []
    private var current: HTMLBlock?
    private var dataRows: Set<Int> = []

    private init(_ tree: HTMLTree, includesNoScript: Bool) {
        self.tree = tree
        self.includesNoScript = includesNoScript
    }

    static func blocks(of tree: HTMLTree, includesNoScript: Bool = false) -> [HTMLBlock] {
        var segmenter = HTMLSegmenter(tree, includesNoScript: includesNoScript)
        segmenter.findDataRows()
        segmenter.run()
        return segmenter.blocks
    }

    private mutating func run() {
        // Each open block element with the index after its last descendant.
        var containers: [(index: Int, end: Int)] = []
        // The index after the outermost open data row or preformatted text; its parts are one block.
        var wholeEnd = 0
        var index = 0
        while index < tree.nodes.count {
            while let last = containers.last, last.end <= index {
                containers.removeLast()
                if index >= wholeEnd { finish() }
            }
            let node = tree.nodes[index]
            if isOmitted(index) {
                index = node.end
                continue
            }
            if node.isText {
                add(index, container: containers.last?.index ?? 0)
            } else if node.tag == "br" {
                // Two line breaks in sequence separate paragraphs.
                if index >= wholeEnd, followsLineBreak(index) { finish() }
            } else if !isInline(index) {
                if index >= wholeEnd {
                    finish()
                    if node.tag == "pre" { current = HTMLBlock(kind: .code, container: index) }
                    if dataRows.contains(index) { current = HTMLBlock(kind: .row, container: index) }
                    if current != nil { wholeEnd = node.end }
                }
                containers.append((index, node.end))
            }
            index += 1
        }
        finish()
    }

    // MARK: Elements

    private func isInline(_ index: Int) -> Bool {
        let node = tree.nodes[index]
        if Self.inlineElements.contains(node.tag) { return true }
        // Elements that a page defines itself, such as `relative-time`, are blocks unless they are in a line.
        let isUnknown = node.tag.utf8.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ":") }
        return isUnknown && node.parent >= 0 && Self.lineElements.contains(tree.nodes[node.parent].tag)
    }

    private func isOmitted(_ index: Int) -> Bool {
        let node = tree.nodes[index]
        if node.isText { return false }
        if node.tag == "noscript" { return !includesNoScript }
        return Self.omittedElements.contains(node.tag) || isPermalink(index)
            || !Self.omittedClasses.isDisjoint(with: node.classes) || isLineNumber(index)
            || node.tag == "button" && current?.kind == .code
    }

    /// Returns whether an element is a link with a sign such as `¶` to a place in the page, which programs
    /// that generate documentation add to headings.
    private func isPermalink(_ index: Int) -> Bool {
        let node = tree.nodes[index]
        return node.tag == "a" && node.end - index <= Self.maximumPermalinkNodes
            && node.attribute("href")?.contains("#") == true
            && TextCounts(tree.text(of: index, maximumBytes: 64)).words == 0
    }

    private func isLineNumber(_ index: Int) -> Bool {
        guard !Self.lineNumberClasses.isDisjoint(with: tree.nodes[index].classes) else { return false }
        return (index..<tree.nodes[index].end).allSatisfy {
            tree.nodes[$0].text.allSatisfy { $0.isWhitespace || $0.isNumber }
        }
    }

    // MARK: Blocks

    private mutating func add(_ index: Int, container: Int) {
        if current == nil {
            if isBlank(index) { return }
            current = HTMLBlock(kind: .text, container: container)
        }
        current?.texts.append(index)
    }

    private func isBlank(_ index: Int) -> Bool {
        tree.nodes[index].text.utf8.allSatisfy { $0 == 0x20 || ($0 >= 0x09 && $0 <= 0x0D) }
    }

    private func followsLineBreak(_ index: Int) -> Bool {
        var previous = index - 1
        while previous > 0, tree.nodes[previous].isText, isBlank(previous) { previous -= 1 }
        return tree.nodes[previous].tag == "br"
    }

    private mutating func finish() {
        guard var block = current else { return }
        current = nil
        var text = CollapsedText()
        var linkText = ""
        var lastLink = -1
        for index in block.texts {
            let followsBreak = index > 0 && tree.nodes[index - 1].tag == "br"
            if block.kind == .row || followsBreak { text.appendSpace() }
            text.append(tree.nodes[index].text)
            if let link = tree.enclosingLink(index) {
                if link != lastLink { block.links += 1 }
                lastLink = link
                linkText += tree.nodes[index].text + " "
            }
        }
        block.text = text.text
        block.counts = TextCounts(block.text)
        block.linkWords = min(block.counts.words, TextCounts(linkText).words)
        if block.counts.words > 0 || block.counts.symbols > 0 { blocks.append(block) }
    }

    // MARK: Tables

    /// Finds the rows of tables with data. Tables that arrange the parts of a page have one row, or contain
    /// long cells, headings, code or other tables.
    private mutating func findDataRows() {
        let tables = tree.nodes.indices.filter { tree.nodes[$0].tag == "table" }
        for (position, table) in tables.enumerated() {
            let end = tree.nodes[table].end
            // A table within this one follows it directly in the list.
            let hasTable = position + 1 < tables.count && tables[position + 1] < end
            guard !hasTable, tree.nodes[table].attribute("role") != "presentation" else { continue }
            var rows: [Int: Int] = [:]
            var isData = true
            for index in table + 1..<end where isData {
                let node = tree.nodes[index]
                if node.tag == "td" || node.tag == "th" {
                    rows[node.parent, default: 0] += 1
                    isData = TextCounts(tree.text(of: index)).words <= Self.maximumCellWords
                } else if node.tag == "pre" || node.headingLevel != nil {
                    isData = false
                }
            }
            let wideRows = rows.values.count { $0 >= 2 }
            if isData, rows.count > 1, wideRows * 2 >= rows.count { dataRows.formUnion(rows.keys) }
        }
    }
}

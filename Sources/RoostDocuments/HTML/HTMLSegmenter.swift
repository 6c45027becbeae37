/// Divides a page into blocks.
struct HTMLSegmenter {
    /// The elements that do not interrupt a line of text.
    private static let inlineElements: Set<String> = [
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "cite", "code", "data", "del", "dfn", "em",
        "font", "i", "img", "ins", "kbd", "label", "mark", "math", "mfrac", "mi", "mn", "mo", "mrow", "msub",
        "msup", "mtext", "nobr", "picture", "q", "rb", "ruby", "s", "samp", "small", "source",
        "span", "strike", "strong", "sub", "sup", "svg", "time", "tt", "u", "var", "wbr", "semantics",
        "input", "output", "slot",
    ]
    /// The inline elements that contain no text, or that are replaced with an image.
    private static let imageElements: Set<String> = ["br", "img", "input", "picture", "source", "svg", "wbr"]
    /// The values of the property `display` with which an element begins a line and ends it.
    private static let blockDisplays: Set<String> = ["block", "flex", "grid", "list-item", "table"]
    /// The elements that contain one line of text.
    private static let lineElements: Set<String> = ["p", "h1", "h2", "h3", "h4", "h5", "h6", "dt", "summary"]
    /// The elements whose contents are not shown as text.
    private static let hiddenElements: Set<String> = [
        "head", "script", "style", "template", "noscript", "iframe", "object", "embed", "canvas", "audio",
        "video", "noframes", "noembed", "datalist", "annotation", "annotation-xml", "param", "map",
        "textarea",
        "svg", "option", "optgroup", "rt", "rp",
    ]

    private let tree: HTMLTree
    private let isHidden: (HTMLTree.Node) -> Bool
    /// Whether each element contains one that interrupts a line of text.
    private let containsBlock: [Bool]
    private var blocks: [HTMLBlock] = []
    private var current: HTMLBlock?
    private var dataRows: Set<Int> = []

    private init(_ tree: HTMLTree, isHidden: @escaping (HTMLTree.Node) -> Bool) {
        self.tree = tree
        self.isHidden = isHidden
        var containsBlock = Array(repeating: false, count: tree.nodes.count)
        // A node comes after its parent.
        for (index, node) in tree.nodes.enumerated().reversed() where !node.isText && node.parent >= 0 {
            let isBlock = !Self.inlineElements.contains(node.tag) && !Self.isUnknown(node.tag)
            if isBlock || containsBlock[index] { containsBlock[node.parent] = true }
        }
        self.containsBlock = containsBlock
    }

    /// Returns the blocks of a page in order.
    static func blocks(of tree: HTMLTree, includesNoScript: Bool = false) -> [HTMLBlock] {
        var segmenter = HTMLSegmenter(tree) {
            // Browsers show a template with this attribute in place of the element that contains it.
            let isShown =
                $0.tag == "noscript" ? includesNoScript : $0.attribute("shadowrootmode") != nil
            return hiddenElements.contains($0.tag) && !isShown
        }
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
            if isHidden(node) {
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
                    if node.tag == "pre" { begin(.code, index) }
                    if dataRows.contains(index) { begin(.row, index) }
                    if current != nil { wholeEnd = node.end }
                }
                containers.append((index, node.end))
            }
            index += 1
        }
        finish()
    }

    // MARK: Elements

    /// Returns whether an element does not interrupt a line of text.
    private func isInline(_ index: Int) -> Bool {
        let node = tree.nodes[index]
        if Self.inlineElements.contains(node.tag) {
            return Self.imageElements.contains(node.tag) || !isShownAsBlock(node)
        }
        // The style sheet of a page can turn the elements that it names itself into blocks. They are parts
        // of a line if nothing else separates them from a text.
        guard Self.isUnknown(node.tag), !containsBlock[index], node.parent >= 0 else { return false }
        let hasText = [index - 1, node.end].contains { neighbor in
            tree.nodes.indices.contains(neighbor) && tree.nodes[neighbor].parent == node.parent
                && tree.nodes[neighbor].text.contains { !$0.isWhitespace }
        }
        return hasText || Self.lineElements.contains(tree.nodes[node.parent].tag)
    }

    /// Returns whether an element is a part of a line of text.
    static func isInline(_ tag: String) -> Bool { inlineElements.contains(tag) }

    /// Returns whether HTML does not define an element: the name of one that a page defines contains a
    /// hyphen, and those of word processors, such as `st1:place`, contain a colon.
    private static func isUnknown(_ tag: String) -> Bool {
        tag.utf8.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ":") }
    }

    /// Returns whether the style of an element states that it has lines of its own.
    private func isShownAsBlock(_ node: HTMLTree.Node) -> Bool {
        guard let style = node.attribute("style"), style.contains(":") else { return false }
        return style.lowercased().split(separator: ";").contains { declaration in
            let parts = declaration.split(separator: ":").map { $0.filter { !$0.isWhitespace } }
            return parts.count == 2 && parts[0] == "display" && Self.blockDisplays.contains(parts[1])
        }
    }

    private mutating func begin(_ kind: HTMLBlock.Kind, _ index: Int) {
        current = HTMLBlock(kind: kind, container: index)
    }

    private mutating func add(_ index: Int, container: Int) {
        if tree.isPermalinkSign(index) { return }
        if current == nil {
            if tree.nodes[index].text.utf8.allSatisfy({ $0 == 0x20 || ($0 >= 0x09 && $0 <= 0x0D) }) { return }
            begin(.text, container)
        }
        current?.texts.append(index)
    }

    private func followsLineBreak(_ index: Int) -> Bool {
        var previous = index - 1
        while previous > 0, tree.nodes[previous].isText,
            tree.nodes[previous].text.utf8.allSatisfy({ $0 == 0x20 || ($0 >= 0x09 && $0 <= 0x0D) })
        { previous -= 1 }
        return tree.nodes[previous].tag == "br"
    }

    private mutating func finish() {
        guard var block = current else { return }
        current = nil
        var text = CollapsedText()
        var linkText = ""
        var lastLink = -1
        for index in block.texts {
            if block.kind == .row || endsInlineBlock(index) { text.appendSpace() }
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

    /// Returns whether a line break directly precedes a text.
    private func endsInlineBlock(_ index: Int) -> Bool {
        index > 0 && !tree.nodes[index - 1].isText && tree.nodes[index - 1].tag == "br"
    }

    // MARK: Tables

    /// Finds the rows of tables with data. Tables that arrange the parts of a page contain long cells or
    /// other tables.
    private mutating func findDataRows() {
        let maximumCellWords = 60
        let tables = tree.elements("table")
        for (position, table) in tables.enumerated() {
            var rows: [Int: Int] = [:]
            let end = tree.nodes[table].end
            // A table within this one follows it directly in the list.
            let hasTable = position + 1 < tables.count && tables[position + 1] < end
            var isData = !hasTable && tree.nodes[table].attribute("role") != "presentation"
            var index = table + 1
            while isData, index < end {
                let node = tree.nodes[index]
                if node.tag == "td" || node.tag == "th" {
                    rows[node.parent, default: 0] += 1
                    isData = isData && TextCounts(tree.text(of: index)).words <= maximumCellWords
                }
                index += 1
            }
            let wideRows = rows.values.count { $0 >= 2 }
            if isData, wideRows * 2 >= rows.count, wideRows > 0 { dataRows.formUnion(rows.keys) }
        }
    }
}

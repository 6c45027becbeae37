/// Replaces elements of a page with texts, and removes elements that are not part of its text.
struct HTMLTreeEdits {
    /// The text of each element that is replaced; empty for one that is removed.
    private var replacements: [Int: String] = [:]
    /// The elements whose contents are code although they are not preformatted texts.
    private var codeElements: Set<Int> = []
    /// Whether each table with a cell for the number of a line arranges lines of code.
    private var knownTables: [Int: Bool] = [:]
    private let tree: HTMLTree
    private let code: PageCode
    /// The elements of a table that contain no text.
    private static let rowElements: Set<String> = ["table", "thead", "tbody", "tr"]
    /// The maximum number of elements from the number of a line to its table.
    private static let maximumTableDepth = 6

    private init(_ tree: HTMLTree) {
        self.tree = tree
        code = PageCode(tree)
    }

    /// Returns a tree with one text for each formula, without the numbers of lines of code, and with signs
    /// that separate raised numbers from the words before them.
    static func apply(to tree: HTMLTree) -> HTMLTree {
        var edits = HTMLTreeEdits(tree)
        edits.find()
        return edits.replacements.isEmpty && edits.codeElements.isEmpty ? tree : edits.edited()
    }

    private mutating func find() {
        var index = 0
        // The index after the last node of the outermost open preformatted text.
        var codeEnd = 0
        while index < tree.nodes.count {
            let node = tree.nodes[index]
            guard !node.isText else {
                index += 1
                continue
            }
            if node.tag == "pre" || index >= codeEnd && isLines(index) { codeEnd = max(codeEnd, node.end) }
            let isControl = index < codeEnd && node.tag == "button"
            let isLineNumber =
                code.isLineNumber(index)
                && (index < codeEnd || code.isNextToPreformatted(index) || isInCodeTable(index))
            let isOmitted = isControl || isLineNumber || replacements[index] == ""
            if let text = isOmitted ? "" : PageFormulas.text(of: index, in: tree) {
                replacements[index] = text
                index = node.end
            } else if let raised = tree.raisedText(index) ?? tree.noteMark(index) {
                replacements[raised.node] = raised.text
                index = node.end
            } else if let note = tree.noteText(index) {
                replacements[index] = ""
                replacements[note.node] = note.text
                index = node.end
            } else {
                index += 1
            }
        }
    }

    /// Returns whether an element consists of lines of code, and removes the nodes between these.
    private mutating func isLines(_ index: Int) -> Bool {
        guard let others = code.nodesBetweenLines(of: index) else { return false }
        codeElements.insert(index)
        for node in others { replacements[node] = "" }
        return true
    }

    /// Returns whether an element is in a table of code. The rows are its lines, unless a cell contains all
    /// lines.
    private mutating func isInCodeTable(_ index: Int) -> Bool {
        let ancestors = [index] + tree.ancestors(of: index).prefix(Self.maximumTableDepth)
        guard let table = ancestors.first(where: { tree.nodes[$0].tag == "table" }),
            let cell = ancestors.first(where: { tree.nodes[$0].tag == "td" })
        else { return false }
        if let isCode = knownTables[table] { return isCode }
        guard code.isLineNumber(cell) else { return false }
        let isCode = !code.isLayout(table)
        knownTables[table] = isCode
        guard isCode, !code.hasPreformatted(table) else { return isCode }
        codeElements.insert(table)
        // White space between rows and cells is not a part of the lines.
        for text in table..<tree.nodes[table].end where tree.nodes[text].isText {
            let parent = tree.nodes[tree.nodes[text].parent].tag
            if Self.rowElements.contains(parent), tree.nodes[text].text.allSatisfy(\.isWhitespace) {
                replacements[text] = ""
            }
        }
        return isCode
    }

    private func edited() -> HTMLTree {
        var nodes: [HTMLTree.Node] = []
        nodes.reserveCapacity(tree.nodes.count)
        // For each node, the number of kept nodes before it, which is the new index of a kept node.
        var positions: [Int] = []
        positions.reserveCapacity(tree.nodes.count + 1)
        var index = 0
        while index < tree.nodes.count {
            var node = tree.nodes[index]
            let text = replacements[index]
            let next = text == nil ? index + 1 : node.end
            positions += Array(repeating: nodes.count, count: next - index)
            if let text {
                node = .init(tag: "", text: text, parent: node.parent, end: next, depth: node.depth)
            }
            if codeElements.contains(index) { node.tag = "pre" }
            if text != "" {
                if node.parent >= 0 { node.parent = positions[node.parent] }
                nodes.append(node)
            }
            index = next
        }
        positions.append(nodes.count)
        for index in nodes.indices { nodes[index].end = positions[nodes[index].end] }
        return HTMLTree(nodes: nodes, fault: tree.fault)
    }
}

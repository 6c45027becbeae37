/// Replaces elements of a page with texts, and removes elements that are not part of its text.
struct HTMLTreeEdits {
    /// The text of each element that is replaced; empty for one that is removed.
    private var replacements: [Int: String] = [:]
    /// The tables whose rows are lines of code.
    private var codeTables: Set<Int> = []
    /// The tables with a cell for the number of a line.
    private var knownTables: Set<Int> = []
    private let tree: HTMLTree

    private init(_ tree: HTMLTree) { self.tree = tree }

    /// Returns a tree with one text for each formula, without the numbers of lines of code, and with signs
    /// that separate raised numbers from the words before them.
    static func apply(to tree: HTMLTree) -> HTMLTree {
        var edits = HTMLTreeEdits(tree)
        edits.find()
        return edits.replacements.isEmpty ? tree : edits.edited()
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
            if node.tag == "pre" { codeEnd = max(codeEnd, node.end) }
            let isControl = index < codeEnd && node.tag == "button"
            let isLineNumber = tree.isLineNumber(index)
            if isLineNumber, node.tag == "td", index >= codeEnd { noteCodeTable(around: index) }
            let isOmitted = isControl || isLineNumber
            if let text = isOmitted ? "" : PageFormulas.text(of: index, in: tree) {
                replacements[index] = text
                index = node.end
            } else if let raised = tree.raisedText(index) {
                replacements[raised.node] = raised.text
                index = node.end
            } else {
                index += 1
            }
        }
    }

    /// Notes that the rows of a table are lines of code, unless a cell contains all lines.
    private mutating func noteCodeTable(around cell: Int) {
        guard let table = tree.ancestors(of: cell).prefix(3).first(where: { tree.nodes[$0].tag == "table" }),
            knownTables.insert(table).inserted
        else { return }
        let range = table..<tree.nodes[table].end
        if !range.contains(where: { tree.nodes[$0].tag == "pre" }) { codeTables.insert(table) }
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
            if codeTables.contains(index) { node.tag = "pre" }
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

/// Blocks that introduce the block after them.
extension MainContent {
    /// The words in classes of elements that contain the declaration of a function or type.
    private static let declarationWords: Set<String> = [
        "decl", "declaration", "declarations", "memproto", "monospace", "prototype", "tsd",
    ]
    /// The words that stand with `signature` in classes of declarations. A signature alone can also be the
    /// last lines of a message.
    private static let signatureWords: Set<String> = [
        "annotation", "class", "field", "function", "line", "method", "module", "property", "type",
    ]
    private static let headingElements: Set<String> = ["h2", "h3", "h4", "h5", "h6"]
    /// The level of the headings of sections whose declarations are counted together.
    private static let maximumSectionLevel = 2
    /// The maximum number of elements from the text of a declaration to the one with its class. Tables
    /// arrange the parameters of some declarations.
    private static let maximumDeclarationDepth = 9
    /// The maximum number of nodes among which the name of a declaration is looked for.
    private static let maximumMemberNodes = 200
    /// The maximum number of elements from an introduction to the container that it shares with the next
    /// block.
    private static let maximumIntroductionDepth = 3
    /// The maximum number of elements from the next block to this container.
    private static let maximumIntroducedDepth = 4
    /// The maximum number of blocks between a declaration and its description.
    private static let maximumNotes = 2
    /// The maximum number of words of the name of an item.
    private static let maximumNameWords = 6
    /// The maximum number of words of a sentence that introduces code or a list.
    private static let maximumSentenceWords = 40

    /// Adds terms, declarations and code before a chosen block that describes them, and short sentences
    /// before chosen code, lists and tables.
    mutating func addIntroductions() {
        // From the last to the first one, because an introduction can precede another one.
        for index in isChosen.indices.dropLast().reversed() where !isChosen[index] {
            guard let next = introduced(by: index) else { continue }
            let (container, depth, nextDepth) = common(index, next)
            guard depth <= Self.maximumIntroductionDepth, nextDepth <= Self.maximumIntroducedDepth else {
                continue
            }
            isChosen[index] = belongs(index, to: container, canBeLink: isName(index))
        }
    }

    /// Returns the chosen block that a block introduces; otherwise `nil`. Short notes, such as the
    /// version, can stand between a declaration and its description.
    private func introduced(by index: Int) -> Int? {
        if isChosen[index + 1] { return isIntroduction(index) ? index + 1 : nil }
        guard declaration(around: facts.blocks[index].container) != nil else { return nil }
        for next in (index + 1)..<min(index + 2 + Self.maximumNotes, isChosen.count) {
            if isChosen[next] { return next }
            let block = facts.blocks[next]
            if facts.headingLevel(block) != nil || declaration(around: block.container) != nil { return nil }
        }
        return nil
    }

    private func isIntroduction(_ index: Int) -> Bool {
        let block = facts.blocks[index]
        if block.kind == .code || declaration(around: block.container) != nil { return true }
        let tag = facts.tree.nodes[block.container].tag
        if tag == "dt" || isName(index) { return true }
        // A summary that only says that a description follows is not shown with it.
        if tag == "summary" { return !facts.tree.classes(of: block.container).contains("hideme") }
        let parent = facts.tree.nodes[max(0, facts.tree.nodes[block.container].parent)].tag
        if parent == "dt" { return true }
        guard block.counts.words <= Self.maximumSentenceWords, isPart(index + 1) else { return false }
        if facts.blocks[index + 1].kind == .code, tag == "p" { return true }
        return block.text.hasSuffix(":") || block.text.hasSuffix("：")
    }

    /// Returns whether a block is the name of an item of a list, such as a link to a module, and the next
    /// block is its description.
    private func isName(_ index: Int) -> Bool {
        guard facts.blocks[index].counts.words <= Self.maximumNameWords, let item = item(around: index) else {
            return false
        }
        return item == self.item(around: index + 1) && facts.blocks(in: item) == index..<(index + 2)
    }

    private func item(around index: Int) -> Int? {
        facts.elements(around: facts.blocks[index]).first { facts.tree.nodes[$0].tag == "li" }
    }

    // MARK: Declarations

    /// Adds the declarations without a description that stand between or next to others, if at least half of
    /// the declarations of the page or of their section are chosen.
    mutating func addDeclarations() {
        var sections: [[Int]] = [[]]
        for index in isChosen.indices {
            let block = facts.blocks[index]
            if declaration(around: block.container) != nil {
                sections[sections.count - 1].append(index)
            } else if let level = facts.headingLevel(block), level <= Self.maximumSectionLevel {
                sections.append([])
            }
        }
        let all = sections.flatMap { $0 }
        for group in areMostlyChosen(all) ? [all] : sections.filter(areMostlyChosen) {
            addDeclarations(group)
        }
    }

    private func areMostlyChosen(_ indices: [Int]) -> Bool {
        !indices.isEmpty && indices.count { isChosen[$0] } * 2 >= indices.count
    }

    /// Adds the declarations between the chosen ones of a group, and those near the first and the last one.
    private mutating func addDeclarations(_ group: [Int]) {
        guard let first = group.first(where: { isChosen[$0] }), let last = group.last(where: { isChosen[$0] })
        else { return }
        addDeclarations(group.drop { $0 <= first }, beside: first, last: last)
        addDeclarations(group.prefix { $0 < first }.reversed(), beside: first, last: first)
    }

    /// Adds declarations, each of which belongs to the one before it in a sequence.
    private mutating func addDeclarations(_ indices: some Sequence<Int>, beside first: Int, last: Int) {
        var neighbor = first
        for index in indices {
            if !isChosen[index] {
                let (container, depth, otherDepth) = common(neighbor, index)
                let isBetween = index > first && index < last
                let isNear = isBetween || max(depth, otherDepth) <= Self.maximumIntroducedDepth
                guard isNear, belongs(index, to: container) else { continue }
                isChosen[index] = true
            }
            neighbor = index
        }
    }

    /// Returns the element from which the distances of a block are counted: its declaration, the outermost
    /// element that contains nothing but its code, or its container.
    func unit(of index: Int) -> Int {
        let block = facts.blocks[index]
        if let declaration = declaration(around: block.container) { return declaration }
        var unit = block.container
        // The rows of a table are one part of a text.
        if block.kind == .row { return facts.elements(around: block).first(where: isTable) ?? unit }
        guard block.kind == .code else { return unit }
        // Elements and tables that only arrange one code block count as the code.
        var parent = facts.tree.nodes[unit].parent
        while parent > 0, facts.blocks(in: parent).count == 1 {
            unit = parent
            parent = facts.tree.nodes[unit].parent
        }
        return unit
    }

    private func isTable(_ node: Int) -> Bool { facts.tree.nodes[node].tag == "table" }

    /// Returns the outermost element of the declaration that contains an element; otherwise `nil`.
    func declaration(around element: Int) -> Int? {
        var result: Int?
        var node = element
        for _ in 0...Self.maximumDeclarationDepth where node > 0 {
            if isDeclaration[node] { result = node }
            node = facts.tree.nodes[node].parent
        }
        return result
    }

    /// Returns for each node whether it is an element whose class names a declaration, in a time that is
    /// linear in the size of the page.
    static func declarations(in tree: HTMLTree) -> [Bool] {
        // The number of elements before each node with the name of a declaration in the form of Javadoc.
        var names = [0]
        names.reserveCapacity(tree.nodes.count + 1)
        for node in tree.nodes {
            let classes = node.attribute("class") ?? ""
            let isName = classes.contains("element-name") || classes.contains("member-name")
            names.append(names[names.count - 1] + (isName ? 1 : 0))
        }
        return tree.nodes.indices.map { index in
            let end = min(tree.nodes[index].end, index + maximumMemberNodes)
            return isDeclaration(tree.nodes[index], hasMemberName: names[end] > names[index])
        }
    }

    /// Returns whether the class of an element names a declaration.
    private static func isDeclaration(_ node: HTMLTree.Node, hasMemberName: Bool) -> Bool {
        guard let names = node.attribute("class") else { return false }
        let words = ElementHints.words(names)
        if words.contains(where: declarationWords.contains) { return true }
        // A heading that is code declares the element of its section.
        if words.contains("code"), headingElements.contains(node.tag) { return true }
        // Members of forums have signatures, too.
        if words.contains("sig") { return words.contains("object") || node.tag == "dt" }
        guard words.contains("signature") else { return false }
        if words.contains("member") { return hasMemberName }
        return words.contains(where: signatureWords.contains)
    }
}

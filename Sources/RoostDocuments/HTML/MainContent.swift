/// Chooses the blocks of a page that are its main content.
///
/// The scores of short blocks are uncertain: a term, a line of code, a row or a heading says little about
/// itself. After the selection by scores, the structure of the page therefore decides about those that
/// belong to chosen blocks, so that a text has no gaps.
struct MainContent {
    /// The elements whose blocks are parts of a text that paragraphs introduce.
    private static let parts: Set<String> = ["li", "dt", "dd", "td", "th", "caption", "figcaption"]
    /// The elements that separate their contents from the text around them. Elements with hints do, too.
    private static let separateElements: Set<String> = [
        "nav", "aside", "header", "footer", "form", "button", "select", "label", "dialog",
    ]
    private static let separateHints = ElementHints.mask(ofGroupsWith: [
        "navigation", "footer", "sidebar", "advertisement", "share", "cookie", "related", "profile", "hidden",
        "button",
    ])
    /// The hints that an element with tabs has.
    private static let tabHints = ElementHints.mask(ofGroupsWith: ["tabs"])
    /// The hints that a figure has because it contains an image and a caption.
    private static let figureHints = ElementHints.mask(ofGroupsWith: ["image"])
    /// The maximum number of elements from a chosen block to the container that it shares with another one,
    /// if the blocks between them are one text.
    static let maximumGapDepth = 3
    /// The maximum number of elements from a block that continues a text to the container of the text.
    private static let maximumPartDepth = 4
    /// The minimum mean score of blocks that continue a text after its last chosen block.
    private static let minimumScore = 0.15

    let facts: PageFacts
    private let scores: [Double]
    var isChosen: [Bool]
    /// Whether each node is an element whose class names a declaration.
    let isDeclaration: [Bool]
    /// Whether each node is a list of terms, or a table that consists of other elements than rows and cells.
    private let isCollection: [Bool]

    private init(_ facts: PageFacts, scores: [Double]) {
        self.facts = facts
        self.scores = scores
        isDeclaration = Self.declarations(in: facts.tree)
        isCollection = facts.tree.nodes.map(Self.isCollection)
        isChosen = Array(repeating: false, count: scores.count)
        let selection = BlockScorer.selection(scores, words: facts.blocks.map(\.counts.words))
        for index in selection { isChosen[index] = true }
    }

    /// Returns the indices of the blocks of the main content, in order. A page without links has no
    /// navigation, so all of its visible text is content.
    static func indices(of facts: PageFacts) -> [Int] {
        guard facts.blocks.contains(where: { $0.links > 0 }) else {
            return visible(Array(facts.blocks.indices), facts)
        }
        return indices(of: facts, scores: BlockScorer.scores(of: facts))
    }

    /// Returns the indices of the blocks of the main content for scores from 0 to 1.
    static func indices(of facts: PageFacts, scores: [Double]) -> [Int] {
        var content = MainContent(facts, scores: scores)
        content.addStated()
        content.addAnswers()
        content.addIntroductions()
        content.addDeclarations()
        content.addParts()
        content.addFacts()
        content.addHeadings()
        let chosen = content.isChosen.indices.filter { content.isChosen[$0] }
        return visible(withoutBoxes(chosen, facts), facts)
    }

    // MARK: Parts of a text

    /// Adds code, rows, list items, terms and captions between chosen blocks, and those that directly follow
    /// them.
    private mutating func addParts() {
        var start = 0
        while start < isChosen.count {
            var end = start
            while end < isChosen.count, !isChosen[end] { end += 1 }
            if start > 0, start < end {
                let gap = gapParts(start..<end)
                let following = followingParts(start..<end, known: Set(gap))
                for index in gap + following { isChosen[index] = true }
            }
            start = end + 1
        }
    }

    /// Returns the parts among the blocks between two chosen ones, if these are near their common container.
    private func gapParts(_ gap: Range<Int>) -> [Int] {
        guard gap.upperBound < isChosen.count else { return [] }
        let (container, before, after) = common(gap.lowerBound - 1, gap.upperBound)
        guard max(before, after) <= Self.maximumGapDepth else { return [] }
        return gap.filter { isPart($0) && belongs($0, to: container) }
    }

    /// Returns the parts that follow a chosen block without an interruption other than a heading, if it is
    /// not likely that they are something else.
    private func followingParts(_ gap: Range<Int>, known: Set<Int>) -> [Int] {
        var last = gap.lowerBound - 1
        var result: [Int] = []
        var isAfterHeading = false
        for index in gap {
            if known.contains(index) {
                last = index
                isAfterHeading = false
            } else if isTab(index) {
                continue
            } else if isPart(index) {
                let (container, _, depth) = common(last, index)
                guard depth <= Self.maximumPartDepth, belongs(index, to: container) else { break }
                result.append(index)
                last = index
                isAfterHeading = false
            } else if !isAfterHeading, facts.headingLevel(facts.blocks[index]) != nil {
                isAfterHeading = true
            } else {
                break
            }
        }
        return areLikely(result) ? result : []
    }

    /// Returns whether the mean score of blocks, weighted by their words, permits them to be content.
    func areLikely(_ indices: [Int]) -> Bool {
        var (gain, words) = (0.0, 0.0)
        for index in indices {
            let weight = Double(max(1, facts.blocks[index].counts.words))
            gain += scores[index] * weight
            words += weight
        }
        return gain >= Self.minimumScore * words
    }

    /// Returns whether a block is the label of a tab, which neither belongs to the text nor interrupts it.
    private func isTab(_ index: Int) -> Bool {
        facts.elements(around: facts.blocks[index]).contains {
            facts.tree.nodes[$0].attribute("role") == "tab"
        }
    }

    func isPart(_ index: Int) -> Bool {
        let block = facts.blocks[index]
        // A formula in its own paragraph is a part of the text around it.
        let isFormula = block.text.hasPrefix("$$") && block.text.hasSuffix("$$")
        if block.kind != .text || isFormula { return true }
        if facts.headingLevel(block) != nil { return false }
        if declaration(around: block.container) != nil { return true }
        return collection(around: block) != nil
            || facts.elements(around: block).contains { Self.parts.contains(facts.tree.nodes[$0].tag) }
    }

    /// Returns the list of terms around a block, or the table around one that consists of other elements
    /// than rows and cells; otherwise `nil`.
    private func collection(around block: HTMLBlock) -> Int? {
        guard block.kind == .text else { return nil }
        return facts.elements(around: block).first { isCollection[$0] }
    }

    private static func isCollection(_ node: HTMLTree.Node) -> Bool {
        if node.tag == "dl" { return true }
        guard node.tag == "div", let names = node.attribute("class"), names.contains("table") else {
            return false
        }
        let words = ElementHints.words(names)
        return words.contains("table") && !words.contains("contents")
    }

    /// Returns whether more than two thirds of a block are links. A term or a cell is often a link itself, so
    /// the whole list or table counts.
    private func consistsOfLinks(_ block: HTMLBlock) -> Bool {
        let sums = collection(around: block).map(facts.sums(in:))
        let (words, links) =
            sums.map { (Int($0.words), Int($0.linkWords)) }
            ?? (block.counts.words, block.linkWords)
        return links * 3 > words * 2
    }

    // MARK: Headings

    /// Adds the headings of sections that contain chosen blocks. A main heading before all of them is the
    /// title, which is stored as such.
    private mutating func addHeadings() {
        guard let first = isChosen.firstIndex(of: true) else { return }
        let levels = facts.blocks.map(facts.headingLevel)
        for index in isChosen.indices.reversed() where !isChosen[index] {
            guard let level = levels[index], level > 1 || index > first else { continue }
            var next = index + 1
            // The sections of at most five higher levels contain a block, so this takes linear time.
            while next < isChosen.count, !isChosen[next], (levels[next] ?? 7) > level { next += 1 }
            guard next < isChosen.count, isChosen[next], (levels[next] ?? 7) > level else { continue }
            isChosen[index] = belongs(index, to: common(index, next).container)
        }
    }

    // MARK: Containers

    /// Returns whether at most two thirds of a block are links, unless it can be one, and no element between
    /// it and a container separates it from the contents of the container.
    func belongs(_ index: Int, to container: Int, canBeLink: Bool = false) -> Bool {
        let block = facts.blocks[index]
        guard canBeLink || !consistsOfLinks(block) else { return false }
        var node = block.container
        var separateHints = Self.separateHints
        while node > container {
            // The id of a heading names its subject or a table of contents, so "nav" in it is no hint.
            let isFigure = ["figure", "figcaption"].contains(facts.tree.nodes[node].tag)
            let hints = isFigure ? separateHints & ~Self.figureHints : separateHints
            let hasHint = facts.hints[node] & hints != 0
            if hasHint, facts.headingLevel(ofElement: node) == nil, !isDeclaration[node] { return false }
            if Self.separateElements.contains(facts.tree.nodes[node].tag) { return false }
            // The element around the panels of tabs also contains the tabs.
            if facts.tree.nodes[node].attribute("role") == "tabpanel" { separateHints &= ~Self.tabHints }
            node = facts.tree.nodes[node].parent
        }
        return true
    }

    /// Returns the innermost element that contains two blocks, and the numbers of elements from the innermost
    /// ones around these to it.
    /// A declaration counts as one element.
    func common(_ first: Int, _ second: Int) -> (container: Int, first: Int, second: Int) {
        var (one, other) = (unit(of: first), unit(of: second))
        var (depth, otherDepth) = (0, 0)
        // A parent has a smaller index than its children.
        while one != other {
            if one > other {
                one = facts.tree.nodes[one].parent
                depth += 1
            } else {
                other = facts.tree.nodes[other].parent
                otherDepth += 1
            }
        }
        return (one, depth, otherDepth)
    }

    // MARK: Hidden text

    /// Removes blocks that are not shown, unless they are most of the text: then a script shows them, such as
    /// the parts of a page with tabs.
    private static func visible(_ indices: [Int], _ facts: PageFacts) -> [Int] {
        let isHidden = facts.tree.hiddenNodes()
        var (words, hidden) = (0, 0)
        for index in indices {
            let block = facts.blocks[index]
            words += block.counts.words
            if isHidden[block.container] { hidden += block.counts.words }
        }
        guard hidden * 2 <= words else { return indices }
        return indices.filter { !isHidden[facts.blocks[$0].container] }
    }

    /// Returns the number of words that the page hides within its main content or directly next to it, and
    /// that are not part of the content.
    ///
    /// - Parameter indices: The indices of the blocks of the main content, in order.
    static func hiddenWords(around indices: [Int], in facts: PageFacts) -> Int {
        guard let first = indices.first, let last = indices.last else { return 0 }
        let isHidden = facts.tree.hiddenNodes()
        let isHiddenBlock = facts.blocks.map { isHidden[$0.container] }
        let start = (isHiddenBlock[..<first].lastIndex(of: false) ?? -1) + 1
        let end = isHiddenBlock[(last + 1)...].firstIndex(of: false) ?? isHiddenBlock.count
        let known = Set(indices)
        return (start..<end).reduce(0) { sum, index in
            isHiddenBlock[index] && !known.contains(index) ? sum + facts.blocks[index].counts.words : sum
        }
    }
}

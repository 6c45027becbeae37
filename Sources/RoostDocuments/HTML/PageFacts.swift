import RoostText

/// Facts about the elements and blocks of a page, from which the features of blocks are computed.
struct PageFacts {
    /// Sums over a sequence of blocks.
    struct Sums {
        var words = 0.0
        var linkWords = 0.0
        var paragraphWords = 0.0
        var blocks = 0.0
        var sentenceEnds = 0.0
        var longBlocks = 0.0

        static func - (left: Sums, right: Sums) -> Sums {
            Sums(
                words: left.words - right.words, linkWords: left.linkWords - right.linkWords,
                paragraphWords: left.paragraphWords - right.paragraphWords,
                blocks: left.blocks - right.blocks,
                sentenceEnds: left.sentenceEnds - right.sentenceEnds,
                longBlocks: left.longBlocks - right.longBlocks)
        }

        static func += (left: inout Sums, right: Sums) {
            left.words += right.words
            left.linkWords += right.linkWords
            left.paragraphWords += right.paragraphWords
            left.blocks += right.blocks
            left.sentenceEnds += right.sentenceEnds
            left.longBlocks += right.longBlocks
        }

        var linkDensity: Double { words > 0 ? linkWords / words : 0 }
    }

    let tree: HTMLTree
    let blocks: [HTMLBlock]
    let metadata: HTMLMetadata
    /// The hints of each element.
    private(set) var hints: [UInt32]
    /// For each element among at least three siblings that contain text and have the same name and first
    /// class, the number of these siblings.
    private(set) var repetitions: [Int: Int] = [:]
    /// The element whose paragraphs have the largest weight, as in the method of Readability.
    private(set) var candidate = 0
    /// The index of the first block in an `h1`, or else in an `h2`; `nil` if there is neither.
    private(set) var mainHeading: Int?
    /// The ancestors of the candidate and of the main heading, including themselves.
    private(set) var candidatePath: Set<Int> = []
    private(set) var headingPath: Set<Int> = []
    /// The number of blocks with each text.
    private(set) var duplicates: [String: Int] = [:]
    private(set) var titleWords: Set<String> = []
    private(set) var summaryWords: Set<String> = []
    /// The hints in the text of each short block, and for each block the index of the heading before it.
    private(set) var textHints: [UInt32] = []
    private(set) var headings: [Int?] = []
    /// Whether each node, or an element that contains it, states that it is not shown.
    let isHidden: [Bool]
    private var sums: [Sums] = [Sums()]
    private let starts: [Int]

    /// Collects the facts of a page.
    init(tree: HTMLTree, blocks: [HTMLBlock], metadata: HTMLMetadata) {
        self.tree = tree
        self.blocks = blocks
        self.metadata = metadata
        var hints = ElementHints()
        self.hints = tree.nodes.map { $0.isText ? 0 : hints.mask(of: $0) }
        starts = blocks.map { $0.texts[0] }
        isHidden = tree.nodesWithin(Self.isHidden)
        titleWords = Self.wordSet(metadata.windowTitle + " " + (metadata.title ?? ""))
        summaryWords = Self.wordSet(metadata.summary ?? "")
        var heading: Int?
        for (index, block) in blocks.enumerated() {
            var next = sums[index]
            let (words, isParagraph) = (Double(block.counts.words), isParagraph(block))
            next.words += words
            next.linkWords += Double(block.linkWords)
            next.paragraphWords += isParagraph ? words : 0
            next.blocks += 1
            next.sentenceEnds += Double(block.counts.sentenceEnds)
            next.longBlocks += block.counts.words >= 12 && block.linkWords * 3 < block.counts.words ? 1 : 0
            sums.append(next)
            duplicates[block.text, default: 0] += 1
            textHints.append(block.counts.words <= 8 ? hints.mask(ofNames: block.text) : 0)
            headings.append(heading)
            if headingLevel(block) != nil { heading = index }
        }
        findRepetitions()
        findCandidate()
        findMainHeading()
    }

    /// Returns the words of a text in lowercase letters.
    static func wordSet(_ text: String) -> Set<String> {
        Set(text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init))
    }

    /// Returns the sums over the blocks in an element.
    func sums(in element: Int) -> Sums {
        sums(ofBlocks: blocks(in: element))
    }

    /// Returns the sums over a range of blocks, limited to the blocks of the page.
    func sums(ofBlocks range: Range<Int>) -> Sums {
        let range = range.clamped(to: 0..<blocks.count)
        return sums[range.upperBound] - sums[range.lowerBound]
    }

    /// The sums over the page.
    var total: Sums { sums[blocks.count] }

    /// Returns the three innermost elements around a block, the innermost one first.
    func elements(around block: HTMLBlock) -> [Int] {
        var result: [Int] = []
        var node = block.container
        while node > 0, result.count < 3 {
            result.append(node)
            node = tree.nodes[node].parent
        }
        return result
    }

    /// Returns the level of the heading among the three innermost elements around a block; `nil` if none of
    /// them is a heading.
    func headingLevel(_ block: HTMLBlock) -> Int? {
        var node = block.container
        for _ in 0..<3 where node >= 0 {
            if let level = headingLevel(ofElement: node) { return level }
            node = tree.nodes[node].parent
        }
        return nil
    }

    /// Returns the level of a heading; `nil` for other elements.
    func headingLevel(ofElement node: Int) -> Int? {
        let tag = tree.nodes[node].tag.utf8
        guard tag.count == 2, tag.first == 0x68, let digit = tag.last, digit >= 0x31, digit <= 0x36 else {
            return nil
        }
        return Int(digit - 0x30)
    }

    /// Returns the number of elements at the end of a path that do not contain a block.
    func distance(of block: HTMLBlock, from path: Set<Int>) -> Int {
        var node = block.container
        while node > 0, !path.contains(node) { node = tree.nodes[node].parent }
        return path.count - 1 - (node >= 0 ? tree.nodes[node].depth : 0)
    }

    /// Returns the number of elements on the path between two blocks.
    func distance(of block: HTMLBlock, from other: HTMLBlock) -> Int {
        var (first, second, distance) = (block.container, other.container, 0)
        // A parent has a smaller index than its children.
        while first != second {
            if first > second { first = tree.nodes[first].parent } else { second = tree.nodes[second].parent }
            distance += 1
        }
        return distance
    }

    /// Returns the range of the blocks in an element.
    func blocks(in element: Int) -> Range<Int> {
        firstBlock(from: element)..<firstBlock(from: tree.nodes[element].end)
    }

    /// Returns whether an element states that it is not shown.
    private static func isHidden(_ node: HTMLTree.Node) -> Bool {
        if node.attribute("hidden") != nil || node.attribute("aria-hidden") == "true" { return true }
        guard let style = node.attribute("style") else { return false }
        let compact = style.lowercased().filter { !$0.isWhitespace }
        return compact.contains("display:none") || compact.contains("visibility:hidden")
    }

    private func isParagraph(_ block: HTMLBlock) -> Bool {
        let tag = tree.nodes[block.container].tag
        return tag == "p" || tag == "pre" || tag == "blockquote"
    }

    private func firstBlock(from node: Int) -> Int {
        starts.partitioningIndex { $0 >= node }
    }

    private mutating func findRepetitions() {
        struct Signature: Hashable {
            var parent: Int
            var name: String
        }
        var counts: [Signature: Int] = [:]
        func signature(_ index: Int) -> Signature {
            let node = tree.nodes[index]
            let first = node.attribute("class")?.split(separator: " ").first ?? ""
            return Signature(parent: node.parent, name: node.tag + "." + first)
        }
        let elements = tree.nodes.indices.filter { !tree.nodes[$0].isText && sums(in: $0).words > 0 }
        for index in elements { counts[signature(index), default: 0] += 1 }
        for index in elements {
            if let count = counts[signature(index)], count >= 3 { repetitions[index] = count }
        }
    }

    private mutating func findCandidate() {
        var scores: [Int: Double] = [:]
        for block in blocks where block.counts.words >= 10 && block.linkWords * 2 < block.counts.words {
            var node = block.container
            var weight = Double(min(block.counts.words, 100) - block.linkWords)
            for _ in 0..<5 where node > 0 {
                scores[node, default: 0] += weight
                weight *= 0.7
                node = tree.nodes[node].parent
            }
        }
        candidate = scores.max { ($0.value, -$0.key) < ($1.value, -$1.key) }?.key ?? 0
        candidatePath = path(to: candidate)
    }

    private mutating func findMainHeading() {
        guard
            let index = blocks.indices.first(where: { headingLevel(blocks[$0]) == 1 })
                ?? blocks.indices.first(where: { headingLevel(blocks[$0]) == 2 })
        else { return }
        mainHeading = index
        headingPath = path(to: blocks[index].container)
    }

    private func path(to node: Int) -> Set<Int> {
        var result: Set<Int> = [max(0, node)]
        var parent = tree.nodes[max(0, node)].parent
        while parent >= 0 {
            result.insert(parent)
            parent = tree.nodes[parent].parent
        }
        return result
    }
}

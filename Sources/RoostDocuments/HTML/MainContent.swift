import Foundation

struct MainContent {
    let blocks: [HTMLBlock]
    /// The number of words that the page hides within its main content or directly next to it.
    let hiddenWords: Int

    /// The elements that separate their contents from the text around them.
    private static let separateElements: Set<String> = [
        "nav", "aside", "header", "footer", "form", "button", "select", "label", "dialog",
    ]
    /// The maximum number of elements from a chosen block to the container that it shares with another one,
    /// if the blocks between them are one text.
    private static let maximumGapDepth = 3

    /// Chooses the blocks. A page without links has no navigation, so all of its visible text is content.
    init(of page: HTMLPage) {
        let words = page.blocks.map(\.counts.words)
        var isChosen = words.map { _ in true }
        if page.blocks.contains(where: { $0.links > 0 }) {
            isChosen = BlockScorer.selection(BlockScorer.scores(of: page), words: words)
            Self.fillGaps(&isChosen, page)
            Self.addHeadings(&isChosen, page)
        }
        let hidden = page.tree.hiddenNodes()
        let isHidden = page.blocks.map { hidden[$0.container] }
        func sum(_ condition: (Int) -> Bool) -> Int {
            words.indices.reduce(0) { condition($1) ? $0 + words[$1] : $0 }
        }
        // If most of the text is hidden, a script shows it.
        let hiddenWords = sum { isChosen[$0] && isHidden[$0] }
        if hiddenWords * 2 <= sum({ isChosen[$0] }) {
            for index in isChosen.indices where isHidden[index] { isChosen[index] = false }
        }
        blocks = zip(page.blocks, isChosen).filter(\.1).map(\.0)
        guard let first = isChosen.firstIndex(of: true), let last = isChosen.lastIndex(of: true) else {
            self.hiddenWords = 0
            return
        }
        let start = isHidden[..<first].lastIndex(of: false) ?? -1
        let end = isHidden[(last + 1)...].firstIndex(of: false) ?? isHidden.count
        self.hiddenWords = sum { $0 > start && $0 < end && isHidden[$0] && !isChosen[$0] }
    }

    /// Adds the blocks between two chosen ones near their common container, so that a text has no gaps: a
    /// term, a row or a line of code says little about itself, so its score is low.
    private static func fillGaps(_ isChosen: inout [Bool], _ page: HTMLPage) {
        var previous: Int?
        for index in isChosen.indices where isChosen[index] {
            defer { previous = index }
            guard let previous, previous + 1 < index,
                let container = Self.container(page.blocks[previous], page.blocks[index], page.tree)
            else { continue }
            for gap in previous + 1..<index where belongs(page.blocks[gap], to: container, page.tree) {
                isChosen[gap] = true
            }
        }
    }

    /// Returns the innermost element that contains two blocks; `nil` if it is not near to both.
    private static func container(_ first: HTMLBlock, _ second: HTMLBlock, _ tree: HTMLTree) -> Int? {
        var (one, other) = (first.container, second.container)
        var (depth, otherDepth) = (0, 0)
        // A parent has a smaller index than its children.
        while one != other {
            if one > other {
                one = tree.nodes[one].parent
                depth += 1
            } else {
                other = tree.nodes[other].parent
                otherDepth += 1
            }
        }
        return max(depth, otherDepth) <= maximumGapDepth ? one : nil
    }

    private static func belongs(_ block: HTMLBlock, to container: Int, _ tree: HTMLTree) -> Bool {
        guard block.linkWords * 2 <= block.counts.words else { return false }
        var node = block.container
        while node > container {
            if separateElements.contains(tree.nodes[node].tag) { return false }
            node = tree.nodes[node].parent
        }
        return true
    }

    /// Adds the headings of sections that contain chosen blocks. A main heading before all of them is the
    /// title, which is stored as such.
    private static func addHeadings(_ isChosen: inout [Bool], _ page: HTMLPage) {
        guard let first = isChosen.firstIndex(of: true) else { return }
        let levels = page.blocks.map { page.headingLevel(of: $0) }
        for index in isChosen.indices.reversed() where !isChosen[index] {
            guard let level = levels[index], level > 1 || index > first else { continue }
            // The sections of at most five higher levels contain a block, so this takes linear time.
            let next = isChosen.indices[(index + 1)...].first { isChosen[$0] || (levels[$0] ?? 7) <= level }
            if let next, isChosen[next], (levels[next] ?? 7) > level { isChosen[index] = true }
        }
    }
}

/// Estimates for each block of a page whether it belongs to the main content, with an ensemble of decision
/// trees.
///
/// `Benchmarks/Peers/webpage_blocks.py` trains the trees and writes them to `BlockScorerModel`.
struct BlockScorer {
    /// A node of a tree: a comparison of a feature with a threshold, or a leaf.
    private struct Node {
        var feature: Int
        /// The threshold of a comparison, or the value of a leaf.
        var value: Float
        /// The index of the node for larger values. The node for other values follows immediately.
        var right = 0
    }

    private var nodes: [Node] = []
    private var roots: [Int] = []

    private static let trained = BlockScorer(BlockScorerModel.trees)

    /// Returns the estimated share of the words of each block that belong to the main content, from 0 to 1.
    static func scores(of page: HTMLPage) -> [Double] {
        averaged(BlockFeatures.all(of: page).values.map(trained.score), page)
    }

    /// Reads trees from text, separated by semicolons, in prefix order. `FEATURE:THRESHOLD` is a
    /// comparison, whose subtrees for values up to the threshold and for larger values follow; a number
    /// alone is a leaf.
    private init(_ text: String) {
        for tree in text.split(separator: ";") {
            roots.append(nodes.count)
            // The comparisons whose second subtree has not been read yet.
            var open: [Int] = []
            var followsLeaf = false
            for item in tree.split(whereSeparator: \.isWhitespace) {
                if followsLeaf, let parent = open.popLast() { nodes[parent].right = nodes.count }
                let parts = item.split(separator: ":")
                followsLeaf = parts.count == 1
                if let feature = Int(parts[0]), parts.count == 2, let threshold = Float(parts[1]) {
                    open.append(nodes.count)
                    nodes.append(Node(feature: feature, value: threshold))
                } else {
                    nodes.append(Node(feature: -1, value: Float(item) ?? 0))
                }
            }
        }
    }

    private func score(_ features: [Float]) -> Double {
        var sum: Float = 0
        for root in roots {
            var index = root
            while nodes[index].feature >= 0 {
                index = features[nodes[index].feature] <= nodes[index].value ? index + 1 : nodes[index].right
            }
            sum += nodes[index].value
        }
        return 1 / (1 + exp(-Double(sum)))
    }

    /// Replaces the scores of the rows of a table with their mean, so that no row is missing from a selected
    /// table.
    private static func averaged(_ scores: [Double], _ page: HTMLPage) -> [Double] {
        let tables = page.blocks.map { block in
            block.kind == .row
                ? page.tree.ancestors(of: block.container).first { page.tree.nodes[$0].tag == "table" } : nil
        }
        var sums: [Int: (gain: Double, words: Double)] = [:]
        for (index, table) in tables.enumerated() {
            guard let table else { continue }
            let words = Double(max(1, page.blocks[index].counts.words))
            let sum = sums[table] ?? (0, 0)
            sums[table] = (sum.gain + scores[index] * words, sum.words + words)
        }
        return zip(scores, tables).map { score, table in
            table.flatMap { sums[$0] }.map { $0.gain / $0.words } ?? score
        }
    }

    /// Returns whether each block belongs to the selection that maximizes the expected F1 of the words.
    ///
    /// The best selection consists of the blocks with the highest scores. Its size follows from the scores:
    /// on a page with few high scores, blocks with lower scores are selected too.
    static func selection(_ scores: [Double], words: [Int]) -> [Bool] {
        let order = scores.indices.sorted { (scores[$1], $0) < (scores[$0], $1) }
        let expected = zip(scores, words).map { $0 * Double($1) }
        let total = expected.reduce(0, +)
        var (gain, size, best, count) = (0.0, 0.0, 0.0, 0)
        for (position, index) in order.enumerated() {
            gain += expected[index]
            size += Double(words[index])
            let measure = 2 * gain / max(1, size + total)
            if measure > best { (best, count) = (measure, position + 1) }
        }
        var isSelected = scores.map { _ in false }
        for index in order.prefix(count) { isSelected[index] = true }
        return isSelected
    }
}

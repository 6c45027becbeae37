import Foundation

/// Estimates for each block of a page whether it belongs to the main content, with an ensemble of decision
/// trees.
///
/// `Benchmarks/Peers/webpage_blocks.py` trains the trees and writes them to `BlockScorerModel`.
struct BlockScorer {
    /// A node of a tree: a comparison of a feature with a threshold, or a leaf.
    private struct Node {
        /// The index of the feature; -1 for a leaf.
        var feature: Int
        /// The threshold of a comparison, or the value of a leaf.
        var value: Float
        /// The index of the node for larger values. The node for other values follows immediately.
        var right = 0
    }

    private let nodes: [Node]
    private let roots: [Int]

    /// The scorer with the trained trees.
    static let standard = BlockScorer(BlockScorerModel.trees)

    /// Reads trees from text, separated by semicolons, in prefix order. `FEATURE:THRESHOLD` is a
    /// comparison, whose subtrees for values up to the threshold and for larger values follow; a number
    /// alone is a leaf.
    init(_ text: String) {
        var nodes: [Node] = []
        var roots: [Int] = []
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
        self.nodes = nodes
        self.roots = roots
    }

    /// Returns the estimated share of the words of a block that belong to the main content, from 0 to 1.
    func score(_ features: [Float]) -> Double {
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

    /// Returns the scores of all blocks of a page.
    static func scores(of facts: PageFacts) -> [Double] {
        smoothed(BlockFeatures.all(of: facts).map(standard.score), facts)
    }

    /// Replaces the scores of the rows of a table with their mean, and moves the scores of list items towards
    /// the mean of their list, so that few rows and items are missing from a selected table or list.
    private static func smoothed(_ scores: [Double], _ facts: PageFacts) -> [Double] {
        var sums: [Int: (gain: Double, words: Double)] = [:]
        let groups = facts.blocks.map { group(of: $0, facts.tree) }
        for (index, group) in groups.enumerated() {
            guard let group else { continue }
            let words = Double(max(1, facts.blocks[index].counts.words))
            sums[group, default: (0, 0)].gain += scores[index] * words
            sums[group, default: (0, 0)].words += words
        }
        return scores.indices.map { index in
            guard let group = groups[index], let sum = sums[group] else { return scores[index] }
            let mean = sum.gain / sum.words
            return facts.blocks[index].kind == .row ? mean : 0.75 * scores[index] + 0.25 * mean
        }
    }

    /// Returns the table of a row or the list of an item; `nil` for other blocks.
    private static func group(of block: HTMLBlock, _ tree: HTMLTree) -> Int? {
        var node = block.container
        if block.kind == .row {
            while node > 0, tree.nodes[node].tag != "table" { node = tree.nodes[node].parent }
            return node
        }
        for _ in 0..<3 where node > 0 {
            if tree.nodes[node].tag == "li" { return tree.nodes[node].parent }
            node = tree.nodes[node].parent
        }
        return nil
    }

    /// Returns the indices of the blocks that maximize the expected F1 of the words, in order.
    ///
    /// The best selection consists of the blocks with the highest scores. Its size follows from the scores:
    /// on a page with few high scores, blocks with lower scores are selected too.
    static func selection(_ scores: [Double], words: [Int]) -> [Int] {
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
        return order.prefix(count).sorted()
    }
}

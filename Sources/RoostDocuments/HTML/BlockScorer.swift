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

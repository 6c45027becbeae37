package import Foundation

/// A parsed page.
package struct HTMLPage: Sendable {
    let tree: HTMLTree
    let blocks: [HTMLBlock]
    let metadata: HTMLMetadata

    /// Parses a page.
    ///
    /// - Parameters:
    ///   - data: The bytes of the page.
    ///   - encodingName: The character encoding that a server stated; `nil` if it stated none.
    ///   - maximumDepth: The maximum depth of nested elements. The contents of deeper ones are kept.
    package init(_ data: Data, encodingName: String? = nil, maximumDepth: Int = 200) {
        let bytes = HTMLEncoding.convert(data, stated: encodingName)
        tree = GumboParser.parse(bytes, maximumDepth: maximumDepth)
        metadata = HTMLMetadata(tree)
        let blocks = HTMLSegmenter.blocks(of: tree)
        // Forums and other applications that scripts build contain their text only for browsers without
        // scripts.
        let complete = HTMLSegmenter.blocks(of: tree, includesNoScript: true)
        self.blocks = Self.words(of: complete) > 2 * Self.words(of: blocks) ? complete : blocks
    }

    /// Returns the level of the heading among the three innermost elements around a block; `nil` if none of
    /// them is a heading.
    func headingLevel(of block: HTMLBlock) -> Int? {
        let elements = [block.container] + tree.ancestors(of: block.container).prefix(2)
        return elements.lazy.compactMap { tree.nodes[$0].headingLevel }.first
    }

    private static func words(of blocks: [HTMLBlock]) -> Int { blocks.reduce(0) { $0 + $1.counts.words } }

    /// Returns the names of the features from which scores are computed, and each block's text and features,
    /// for the training of the scorer.
    package func scoredBlocks() -> (names: [String], blocks: [(text: String, features: [Float])]) {
        let features = BlockFeatures.all(of: self)
        return (features.names, zip(blocks, features.values).map { ($0.text, $1) })
    }
}

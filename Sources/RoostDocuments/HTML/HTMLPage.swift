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
        let bytes = XHTMLSyntax.converted(HTMLEncoding.convert(data, stated: encodingName))
        if let tree = GumboParser.parse(bytes, maximumDepth: maximumDepth) {
            self.tree = HTMLTreeEdits.apply(to: tree.withEndedHeadings()).withSeparatedWords()
        } else {
            var tree = HTMLScanner.parse(bytes, maximumDepth: maximumDepth)
            tree.fault = tree.fault ?? "the structure of the page is too complex; only its text was read"
            self.tree = HTMLTreeEdits.apply(to: tree.withEndedHeadings()).withSeparatedWords()
        }
        let blocks = HTMLSegmenter.blocks(of: tree)
        // Forums and other applications that scripts build contain their text only for browsers without
        // scripts.
        let complete = HTMLSegmenter.blocks(of: tree, includesNoScript: true)
        self.blocks = Self.words(of: complete) > 2 * Self.words(of: blocks) ? complete : blocks
        var metadata = HTMLMetadata(tree)
        let heading = PageByline.heading(withTitle: metadata.title, self.blocks, tree)
        metadata.complete(
            with: PageByline(self.blocks, in: tree, title: metadata.title),
            PageDates(tree, heading: heading, address: metadata.address))
        self.metadata = metadata
    }
}

extension HTMLPage {
    private static func words(of blocks: [HTMLBlock]) -> Int { blocks.reduce(0) { $0 + $1.counts.words } }

    /// Returns the blocks of the main content, in order.
    func mainBlocks() -> [HTMLBlock] { mainContent().blocks }

    /// Returns the blocks of the main content, in order, and the number of words in it that the page hides.
    func mainContent() -> (blocks: [HTMLBlock], hiddenWords: Int) {
        let facts = PageFacts(tree: tree, blocks: blocks, metadata: metadata)
        let indices = MainContent.indices(of: facts)
        return (indices.map { blocks[$0] }, MainContent.hiddenWords(around: indices, in: facts))
    }
}

extension HTMLPage {
    /// The minimum number of words of a text in JSON-LD that replaces the blocks of a page, and how many
    /// times as many words as these it has.
    private static let (minimumStructuredWords, minimumStructuredRatio) = (20, 4)

    /// Returns the text that the page states about itself in JSON-LD, if its blocks have no text or are only
    /// a placeholder such as "Loading", in place of which a script shows the text; otherwise `nil`.
    func structuredText(inPlaceOf blocks: [HTMLBlock]) -> String? {
        guard let text = metadata.structuredText else { return nil }
        let (shown, stated) = (Self.words(of: blocks), TextCounts(text).words)
        let isPlaceholder =
            stated >= Self.minimumStructuredWords && stated >= Self.minimumStructuredRatio * shown
        return shown == 0 || isPlaceholder ? HTMLText.plain(text) : nil
    }
}

extension HTMLPage {
    /// A block with the features from which its score is computed.
    package struct ScoredBlock: Sendable {
        /// The text with single spaces.
        package var text: String
        /// The features.
        package var features: [Float]
    }

    /// Returns the blocks with their features, and the names of the features, for the training of the scorer.
    package func scoredBlocks() -> (names: [String], blocks: [ScoredBlock]) {
        let facts = PageFacts(tree: tree, blocks: blocks, metadata: metadata)
        let features = BlockFeatures.all(of: facts)
        return (
            BlockFeatures.names(facts),
            zip(blocks, features).map { ScoredBlock(text: $0.text, features: $1) }
        )
    }
}

package import Foundation

/// A parsed page, or a part of another document in HTML.
package struct HTMLPage: Sendable {
    let tree: HTMLTree
    let blocks: [HTMLBlock]

    /// Parses a page.
    package init(_ data: Data, encodingName: String? = nil, maximumDepth: Int = 200) {
        let bytes = HTMLEncoding.convert(data, stated: encodingName)
        self.init(GumboParser.parse(bytes, maximumDepth: maximumDepth))
    }

    init(_ tree: HTMLTree) {
        self.tree = tree
        let blocks = HTMLSegmenter.blocks(of: tree)
        // Forums and other applications that scripts build contain their text only for browsers without
        // scripts.
        let complete = HTMLSegmenter.blocks(of: tree, includesNoScript: true)
        self.blocks = Self.words(of: complete) > 2 * Self.words(of: blocks) ? complete : blocks
    }

    var metadata: HTMLMetadata { HTMLMetadata(tree) }

    /// Returns all visible text as Markdown, and its links. A message, a chapter of a book and an item of a
    /// feed are content as a whole.
    func content(address: String = "") -> (text: String, links: [DocumentLink]) {
        let hidden = tree.hiddenNodes()
        let visible = blocks.compactMap { block -> HTMLBlock? in
            var block = block
            block.texts.removeAll { hidden[$0] }
            return block.texts.isEmpty ? nil : block
        }
        return (
            HTMLMarkdown.text(of: visible, in: self),
            HTMLLinks.links(in: visible, of: self, address: address)
        )
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

enum HTMLLinks {
    /// Returns the links in blocks, in order and without duplicates.
    ///
    /// - Parameters:
    ///   - blocks: The blocks.
    ///   - page: The page that contains the blocks.
    ///   - address: The path or URL of the page. If it is a URL, or if the page states its base URL, relative
    ///     links become complete URLs; otherwise they remain as written.
    static func links(in blocks: [HTMLBlock], of page: HTMLPage, address: String) -> [DocumentLink] {
        let base = baseAddress(of: page, address: address)
        var links: [DocumentLink] = []
        var (known, targets): (Set<Int>, Set<DocumentLink>) = ([], [])
        for block in blocks {
            for text in block.texts {
                let anchor = page.tree.ancestors(of: text).first { page.tree.nodes[$0].tag == "a" }
                guard let anchor, known.insert(anchor).inserted,
                    let target = page.tree.nodes[anchor].attribute("href"),
                    let link = link(target, text: page.tree.text(of: anchor), base: base)
                else { continue }
                if targets.insert(link).inserted { links.append(link) }
            }
        }
        return links
    }

    private static func baseAddress(of page: HTMLPage, address: String) -> URL? {
        let stated = page.tree.nodes.first { $0.tag == "base" }?.attribute("href")
        let own = address.hasPrefix("https://") || address.hasPrefix("http://") ? URL(string: address) : nil
        guard let stated, let url = URL(string: stated, relativeTo: own) else { return own }
        return url.scheme == nil ? own : url.absoluteURL
    }

    private static func link(_ target: String, text: String, base: URL?) -> DocumentLink? {
        var target = target.trimmingCharacters(in: .whitespacesAndNewlines)
        let scheme = target.prefix { $0.isLetter || $0.isNumber || "+-.".contains($0) }
        let hasScheme = !scheme.isEmpty && target.dropFirst(scheme.count).first == ":"
        if hasScheme, !["http", "https", "ftp", "mailto"].contains(scheme.lowercased()) { return nil }
        guard !target.isEmpty, target != "#" else { return nil }
        if !hasScheme, !target.hasPrefix("#"), let base, let url = URL(string: target, relativeTo: base) {
            target = url.absoluteString
        }
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let fragment = parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : nil
        return DocumentLink(
            kind: .address, target: String(parts[0]), fragment: fragment, text: text.isEmpty ? nil : text)
    }
}

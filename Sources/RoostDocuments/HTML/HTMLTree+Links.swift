extension HTMLTree {
    /// The maximum number of bytes of a sign such as `¶`.
    private static let maximumSignLength = 8
    /// The maximum number of elements and texts in the link of a sign. It bounds the time for a link that
    /// contains very many signs.
    private static let maximumSignNodes = 16
    /// The maximum number of bytes of the text of a heading.
    private static let maximumHeadingBytes = 8192

    /// Returns the innermost link that contains a node.
    func enclosingLink(_ index: Int) -> Int? {
        var node = nodes[index].parent
        while node >= 0 {
            if nodes[node].tag == "a" { return node }
            node = nodes[node].parent
        }
        return nil
    }

    /// Returns whether a text is a sign such as `¶` or `#` that links to a place in a page. Programs that
    /// generate documentation add it to headings.
    func isPermalinkSign(_ index: Int) -> Bool {
        let text = nodes[index].text
        guard text.utf8.count <= Self.maximumSignLength, TextCounts(text).words == 0,
            let link = enclosingLink(index), nodes[link].end - link <= Self.maximumSignNodes,
            nodes[link].attribute("href")?.contains("#") == true
        else { return false }
        return TextCounts(self.text(of: link)).words == 0
    }

    /// Returns the text of a heading, with single spaces and without a link to itself.
    func headingText(of index: Int) -> String {
        var result = CollapsedText(maximumBytes: Self.maximumHeadingBytes)
        for child in index..<nodes[index].end where nodes[child].isText && !isPermalinkSign(child) {
            result.append(nodes[child].text)
            if result.isFull { break }
        }
        return result.text
    }
}

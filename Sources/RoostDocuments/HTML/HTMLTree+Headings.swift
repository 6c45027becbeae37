extension HTMLTree {
    /// The elements that no heading contains.
    private static let sectionElements: Set<String> = [
        "p", "ul", "ol", "dl", "table", "pre", "blockquote", "hr",
    ]
    private static let headingElements: Set<String> = ["h1", "h2", "h3", "h4", "h5", "h6"]
    /// The minimum number of bytes of text that is too long for a heading.
    private static let minimumSectionBytes = 300

    /// Returns the tree with an end for headings that the page does not end, which otherwise contain the rest
    /// of the page: a heading ends before its first paragraph, list or table if a long text follows.
    func withEndedHeadings() -> HTMLTree {
        var result = self
        for index in nodes.indices where Self.headingElements.contains(nodes[index].tag) {
            let end = result.nodes[index].end
            var child = index + 1
            while child < end, !Self.sectionElements.contains(nodes[child].tag) { child = nodes[child].end }
            guard child < end, hasLongText(child..<end) else { continue }
            result.nodes[index].end = child
            for node in child..<end {
                if result.nodes[node].parent == index { result.nodes[node].parent = nodes[index].parent }
                result.nodes[node].depth -= 1
            }
        }
        return result
    }

    private func hasLongText(_ range: Range<Int>) -> Bool {
        var bytes = 0
        for index in range {
            bytes += nodes[index].text.utf8.count
            if bytes >= Self.minimumSectionBytes { return true }
        }
        return false
    }
}

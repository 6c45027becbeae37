extension HTMLTree {
    /// The elements whose contents a style sheet often shows apart from the text around them, such as the
    /// name of a brand before that of a product.
    private static let wordElements: Set<String> = ["a", "button", "data", "label", "span", "time"]
    /// The elements in which the letter case of a name has a meaning.
    private static let codeElements: Set<String> = [
        "code", "kbd", "math", "pre", "samp", "svg", "tt", "var",
    ]

    /// Returns a tree with a space between two texts that a style sheet shows apart: a small letter or a
    /// digit ends the first one, a word with a capital letter begins the second one, and at least one of them
    /// is in an element of its own.
    func withSeparatedWords() -> HTMLTree {
        var result = self
        var previous: Int?
        for (index, node) in nodes.enumerated() where node.isText && !node.text.isEmpty {
            defer { previous = index }
            guard let previous, Self.isBoundary(nodes[previous].text, node.text) else { continue }
            let (first, second) = (nodes[previous].parent, node.parent)
            guard first != second, isWordElement(first) || isWordElement(second),
                !ancestors(of: index).contains(where: { Self.codeElements.contains(nodes[$0].tag) })
            else { continue }
            result.nodes[index].text = " " + node.text
        }
        return result
    }

    private func isWordElement(_ index: Int) -> Bool {
        index >= 0 && Self.wordElements.contains(nodes[index].tag)
    }

    /// Returns whether a text ends with two letters, the last of which is small, or with a digit, and the
    /// next one begins with a capital letter and a small one.
    private static func isBoundary(_ first: String, _ second: String) -> Bool {
        let start = second.unicodeScalars.prefix(2).map(\.properties)
        guard start.count == 2, start[0].isUppercase, start[1].isLowercase else { return false }
        let end = first.unicodeScalars.suffix(2)
        guard let last = end.last else { return false }
        if ("0"..."9").contains(last) { return true }
        return end.count == 2 && last.properties.isLowercase && end.first?.properties.isAlphabetic == true
    }
}

extension HTMLTree {
    /// The words in classes of elements with the numbers of lines.
    private static let lineNumberClasses: Set<String> = [
        "linenos", "linenodiv", "lineno", "linenumber", "linenumbers", "line-number", "line-numbers",
        "gutter",
        "line-numbers-rows", "hljs-ln-numbers", "rouge-gutter", "blob-num", "lnt", "ln", "lntd",
        "react-syntax-highlighter-line-number",
    ]
    /// The maximum number of nodes of an element with the numbers of lines that are examined.
    private static let maximumLineNumberNodes = 100_000
    /// The maximum number of bytes of a raised number or the mark of a note.
    private static let maximumMarkLength = 8
    /// The maximum number of elements and texts in a raised number or the mark of a note.
    private static let maximumMarkNodes = 8

    /// Returns the classes of an element.
    func classes(of index: Int) -> [Substring] {
        nodes[index].attribute("class")?.split(separator: " ") ?? []
    }

    /// Returns whether an element contains nothing but the numbers of lines of code, or is a cell for them.
    func isLineNumber(_ index: Int) -> Bool {
        let node = nodes[index]
        guard ["td", "div", "span", "pre", "a", "code"].contains(node.tag),
            node.end - index <= Self.maximumLineNumberNodes
        else { return false }
        let isNamed = classes(of: index).contains { Self.lineNumberClasses.contains(String($0)) }
        let style = node.attribute("style") ?? ""
        guard isNamed || style.contains("user-select") else { return false }
        var hasDigit = false
        for child in index..<node.end where nodes[child].isText {
            for byte in nodes[child].text.utf8 {
                let isDigit = byte >= 0x30 && byte <= 0x39
                guard isDigit || byte <= 0x20 else { return false }
                hasDigit = hasDigit || isDigit
            }
        }
        return hasDigit || (isNamed && node.tag == "td")
    }

    /// Returns the text of a raised number that directly follows a word, with a sign: `^2` for a power and
    /// `[2]` for a link to a note. Otherwise the number would become a part of the word. Returns `nil` for
    /// other elements.
    func raisedText(_ index: Int) -> (node: Int, text: String)? {
        guard nodes[index].tag == "sup", nodes[index].end - index <= Self.maximumMarkNodes,
            followsWord(index)
        else { return nil }
        let range = index..<nodes[index].end
        let texts = range.filter { nodes[$0].isText && nodes[$0].text.contains { !$0.isWhitespace } }
        guard texts.count == 1 else { return nil }
        let text = text(of: index)
        guard (1...Self.maximumMarkLength).contains(text.utf8.count) else { return nil }
        let digits = text.drop { "-−+".contains($0) }
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return (texts[0], enclosingLink(texts[0]) == nil ? "^\(text)" : "[\(text)]")
    }

    /// Returns whether an element, or a link that begins with it, directly follows a word, a number or its
    /// punctuation.
    private func followsWord(_ index: Int) -> Bool {
        var previous = index - 1
        if previous > 0, nodes[previous].tag == "a", nodes[previous].end >= nodes[index].end { previous -= 1 }
        guard previous > 0, nodes[previous].isText, let last = nodes[previous].text.last else { return false }
        return !last.isWhitespace && !"^([".contains(last)
    }
}

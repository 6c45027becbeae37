extension HTMLTree {
    /// The words in classes of elements with the numbers of lines.
    private static let lineNumberClasses: Set<String> = [
        "linenos", "linenodiv", "lineno", "linenumber", "linenumbers", "line-number", "line-numbers",
        "gutter",
        "line-numbers-rows", "hljs-ln-numbers", "rouge-gutter", "blob-num", "lnt", "ln", "lntd",
        "react-syntax-highlighter-line-number",
    ]
    /// The words of these classes that name a cell for the number of a line even if it is empty.
    private static let emptyCellClasses: Set<String> = ["blob-num", "hljs-ln-numbers"]
    /// The maximum number of nodes of an element with the numbers of lines that are examined.
    private static let maximumLineNumberNodes = 100_000
    /// The maximum number of bytes of the numbers of lines in an element.
    private static let maximumLineNumberBytes = 1_000_000
    /// The elements that contain no code; a table with one of them arranges a page.
    private static let layoutElements: Set<String> = [
        "h1", "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "dl", "table",
    ]
    /// The maximum number of bytes of a raised number or the mark of a note.
    private static let maximumMarkLength = 8
    /// The maximum number of elements and texts in a raised number or the mark of a note.
    private static let maximumMarkNodes = 8

    /// Returns the classes of an element.
    func classes(of index: Int) -> [Substring] {
        nodes[index].attribute("class")?.split(separator: " ") ?? []
    }

    /// Returns whether an element in code contains nothing but the numbers of lines, or is a cell for them.
    func isLineNumber(_ index: Int) -> Bool {
        let node = nodes[index]
        guard ["td", "div", "span", "pre", "a", "code"].contains(node.tag),
            node.end - index <= Self.maximumLineNumberNodes
        else { return false }
        let names = classes(of: index).map(String.init)
        let isNamed = names.contains(where: Self.lineNumberClasses.contains)
        guard isNamed || isUnselectable(index) else { return false }
        var hasDigit = false
        var length = 0
        for child in index..<node.end where nodes[child].isText {
            length += nodes[child].text.utf8.count
            guard length <= Self.maximumLineNumberBytes else { return false }
            for byte in nodes[child].text.utf8 {
                let isDigit = byte >= 0x30 && byte <= 0x39
                guard isDigit || byte <= 0x20 else { return false }
                hasDigit = hasDigit || isDigit
            }
        }
        guard node.tag == "td" else { return hasDigit }
        return hasDigit || node.attribute("data-line-number") != nil
            || names.contains(where: Self.emptyCellClasses.contains)
    }

    /// Returns whether the style of an element prevents that its text is copied.
    private func isUnselectable(_ index: Int) -> Bool {
        guard let style = nodes[index].attribute("style") else { return false }
        return style.lowercased().split(separator: ";").contains { declaration in
            let parts = declaration.split(separator: ":").map { $0.filter { !$0.isWhitespace } }
            return parts.count == 2 && parts[0].hasSuffix("user-select")
                && (parts[1] == "none" || parts[1] == "none!important")
        }
    }

    /// Returns whether a table arranges a page instead of lines of code.
    func isLayout(_ table: Int) -> Bool {
        (table + 1..<max(table + 1, nodes[table].end)).contains {
            Self.layoutElements.contains(nodes[$0].tag)
        }
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
        return (texts[0], isNoteMark(texts[0], in: index) ? "[\(text)]" : "^\(text)")
    }

    /// Returns whether the text of a raised element is a link or the whole text of one. Other raised numbers
    /// in a link are powers.
    private func isNoteMark(_ text: Int, in index: Int) -> Bool {
        guard let link = enclosingLink(text) else { return false }
        if link > index { return true }
        return !(link..<nodes[link].end).contains {
            $0 != text && nodes[$0].isText && nodes[$0].text.contains { !$0.isWhitespace }
        }
    }

    /// Returns whether an element, or a link that begins with it, directly follows a word, a number or its
    /// punctuation.
    private func followsWord(_ index: Int) -> Bool {
        var previous = index - 1
        if previous > 0, nodes[previous].tag == "a", nodes[previous].end >= nodes[index].end { previous -= 1 }
        guard previous > 0, nodes[previous].isText, let last = nodes[previous].text.last else { return false }
        // Text of another block, or of a script, is not before the number on its line.
        var element = nodes[previous].parent
        while element >= 0, nodes[element].end <= index {
            guard Self.inlineElements.contains(nodes[element].tag) else { return false }
            element = nodes[element].parent
        }
        return !last.isWhitespace && !"^([".contains(last)
    }

    /// The elements in which a word before a raised number can be.
    private static let inlineElements: Set<String> = [
        "a", "abbr", "b", "bdi", "cite", "code", "del", "em", "font", "i", "ins", "kbd", "mark", "q", "s",
        "small",
        "span", "strong", "sub", "time", "tt", "u", "var",
    ]
}

extension HTMLTree {
    /// The maximum number of bytes of a raised number or the mark of a note.
    private static let maximumMarkLength = 8
    /// The maximum number of elements and texts in a raised number or the mark of a note.
    private static let maximumMarkNodes = 8

    /// Returns the classes of an element.
    func classes(of index: Int) -> [Substring] {
        nodes[index].attribute("class")?.split(separator: " ") ?? []
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

    /// The words that name notes in addresses and classes.
    private static let noteWords: Set<String> = ["cite", "endnote", "fn", "footnote", "ftn", "note"]

    /// Returns the number of a note if an element is a link to one, or from one back to the text, that
    /// contains nothing but this number; otherwise `nil`.
    private func noteNumber(_ index: Int) -> Substring? {
        guard nodes[index].tag == "a", nodes[index].end - index <= Self.maximumMarkNodes,
            let fragment = nodes[index].attribute("href")?.split(separator: "#", maxSplits: 1).last,
            nodes[index].attribute("href")?.contains("#") == true,
            ElementHints.words(String(fragment)).contains(where: Self.noteWords.contains)
        else { return nil }
        let text = text(of: index)
        guard (1...Self.maximumMarkLength).contains(text.utf8.count) else { return nil }
        return text.allSatisfy({ $0.isASCII && $0.isNumber }) ? text[...] : nil
    }

    /// Returns the text of a link to a note that is not raised, in brackets.
    func noteMark(_ index: Int) -> (node: Int, text: String)? {
        guard let number = noteNumber(index), followsWord(index) else { return nil }
        let text = (index..<nodes[index].end).first { nodes[$0].isText && !nodes[$0].text.isEmpty }
        return text.map { ($0, "[\(number)]") }
    }

    /// Returns the first text of a note whose number is a link before its element, with this number.
    func noteText(_ index: Int) -> (node: Int, text: String)? {
        guard let number = noteNumber(index) else { return nil }
        var next = nodes[index].end
        while next < nodes.count, nodes[next].text.allSatisfy(\.isWhitespace), nodes[next].isText {
            next += 1
        }
        guard next < nodes.count, nodes[next].parent == nodes[index].parent, !nodes[next].isText,
            !Self.inlineElements.contains(nodes[next].tag)
        else { return nil }
        let first = (next..<min(nodes[next].end, next + Self.maximumMarkNodes)).first {
            nodes[$0].isText && nodes[$0].text.contains { !$0.isWhitespace }
        }
        return first.map { ($0, "[\(number)] " + nodes[$0].text.drop(while: \.isWhitespace)) }
    }

    /// The elements in which a word before a raised number can be.
    private static let inlineElements: Set<String> = [
        "a", "abbr", "b", "bdi", "cite", "code", "del", "em", "font", "i", "ins", "kbd", "mark", "q", "s",
        "small",
        "span", "strong", "sub", "time", "tt", "u", "var",
    ]
}

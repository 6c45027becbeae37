/// Finds the numbers of lines in the code of a page, and code whose lines are elements of their own.
///
/// A summary of the contents of each element is computed once, so that each question takes a time that does
/// not depend on the size of an element.
struct PageCode {
    /// The contents of an element.
    private struct Contents: OptionSet {
        let rawValue: UInt8

        static let digit = Contents(rawValue: 1)
        /// Text other than digits and white space.
        static let otherText = Contents(rawValue: 2)
        /// Such text that is not in a preformatted text.
        static let outsideText = Contents(rawValue: 4)
        static let preformatted = Contents(rawValue: 8)
        /// An element that code does not contain.
        static let layout = Contents(rawValue: 16)
    }

    /// The words in classes of elements with the numbers of lines.
    private static let lineNumberClasses: Set<Substring> = [
        "linenos", "linenodiv", "lineno", "linenumber", "linenumbers", "line-number", "line-numbers",
        "gutter",
        "line-numbers-rows", "hljs-ln-numbers", "rouge-gutter", "blob-num", "lnt", "ln", "lntd",
        "react-syntax-highlighter-line-number",
    ]
    /// The words of these classes that name a cell for the number of a line even if it is empty.
    private static let emptyCellClasses: Set<Substring> = ["blob-num", "hljs-ln-numbers"]
    /// The elements that can contain the numbers of lines.
    private static let lineNumberElements: Set<String> = ["td", "div", "span", "pre", "a", "code"]
    /// The elements that contain no code; a table with one of them arranges a page.
    private static let layoutElements: Set<String> = [
        "h1", "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "dl", "table",
    ]
    /// The elements whose contents are not a part of the text.
    private static let ignoredElements: Set<String> = ["script", "style", "template", "button", "svg"]
    /// The words in classes of elements whose children can be lines of code. Lines of verse have other ones.
    private static let codeWords: Set<String> = [
        "code", "fragment", "highlight", "codeblock", "syntaxhighlighter",
    ]
    /// The classes of elements with one line of code each.
    private static let lineClasses: Set<Substring> = [
        "line", "code-line", "token-line", "highlight-line", "view-line", "cm-line", "CodeMirror-line",
    ]
    /// The maximum number of elements from the number of a line to one with the preformatted text next to it.
    private static let maximumDistance = 3

    private let tree: HTMLTree
    private let contents: [Contents]

    /// Summarizes the contents of the elements of a page, in a time that is linear in its size.
    init(_ tree: HTMLTree) {
        self.tree = tree
        var contents = Array(repeating: Contents(), count: tree.nodes.count)
        // A node comes after its parent.
        for index in tree.nodes.indices.reversed() {
            let node = tree.nodes[index]
            var own = contents[index]
            if node.isText {
                own = Self.contents(of: node.text)
            } else if Self.ignoredElements.contains(node.tag) {
                continue
            } else if node.tag == "pre" {
                own.insert(.preformatted)
                own.remove(.outsideText)
            } else if Self.layoutElements.contains(node.tag) {
                own.insert(.layout)
            }
            if node.parent >= 0 { contents[node.parent].formUnion(own) }
            // Whether an element is one of the layout does not matter for its own contents.
            if node.isText { contents[index] = own }
        }
        self.contents = contents
    }

    private static func contents(of text: String) -> Contents {
        var result: Contents = []
        for byte in text.utf8 where byte > 0x20 {
            guard byte >= 0x30, byte <= 0x39 else { return [.otherText, .outsideText] }
            result = .digit
        }
        return result
    }

    // MARK: Numbers of lines

    /// Returns whether an element contains nothing but the numbers of lines, or is a cell for them, if it is
    /// a part of code.
    func isLineNumber(_ index: Int) -> Bool {
        let node = tree.nodes[index]
        guard !contents[index].contains(.otherText), Self.lineNumberElements.contains(node.tag) else {
            return false
        }
        let names = tree.classes(of: index)
        guard names.contains(where: Self.lineNumberClasses.contains) || isUnselectable(index) else {
            return false
        }
        let hasDigit = contents[index].contains(.digit)
        guard node.tag == "td" else { return hasDigit }
        return hasDigit || node.attribute("data-line-number") != nil
            || names.contains(where: Self.emptyCellClasses.contains)
    }

    /// Returns whether the style of an element prevents that its text is copied.
    private func isUnselectable(_ index: Int) -> Bool {
        guard let style = tree.nodes[index].attribute("style") else { return false }
        return style.lowercased().split(separator: ";").contains { declaration in
            let parts = declaration.split(separator: ":").map { $0.filter { !$0.isWhitespace } }
            return parts.count == 2 && parts[0].hasSuffix("user-select")
                && (parts[1] == "none" || parts[1] == "none!important")
        }
    }

    /// Returns whether an element is next to a preformatted text, and nothing but numbers is around both.
    func isNextToPreformatted(_ index: Int) -> Bool {
        tree.ancestors(of: index).prefix(Self.maximumDistance).contains {
            contents[$0].contains(.preformatted) && !contents[$0].contains(.outsideText)
        }
    }

    /// Returns whether a table arranges a page instead of lines of code.
    func isLayout(_ table: Int) -> Bool { contents[table].contains(.layout) }

    /// Returns whether an element contains a preformatted text.
    func hasPreformatted(_ index: Int) -> Bool { contents[index].contains(.preformatted) }

    // MARK: Lines

    /// Returns the nodes of code whose lines are elements of their own that are not a part of it: the white
    /// space between the lines, and what follows the first line without being one, such as tooltips. Returns
    /// `nil` for elements that do not consist of lines of code. Lines without text do not count, because they
    /// can be drawn lines.
    func nodesBetweenLines(of index: Int) -> [Int]? {
        let node = tree.nodes[index]
        guard node.tag == "div" || node.tag == "figure", contents[index].contains(.otherText),
            contents[index].isDisjoint(with: [.layout, .preformatted]),
            let names = node.attribute("class"),
            ElementHints.words(names).contains(where: Self.codeWords.contains)
        else { return nil }
        var (lines, others): (Int, Int) = (0, 0)
        var result: [Int] = []
        for child in children(of: index) {
            if tree.nodes[child].isText {
                guard contents[child].isEmpty else { return nil }
                result.append(child)
            } else if isLine(child) {
                lines += contents[child].contains(.otherText) ? 1 : 0
            } else if let first = children(of: child).first(where: { !tree.nodes[$0].isText }), isLine(first)
            {
                // A group of lines, such as those of a function.
                lines += contents[first].contains(.otherText) ? 1 : 0
                result += children(of: child).filter { tree.nodes[$0].isText && contents[$0].isEmpty }
            } else if lines > 0 {
                others += contents[child].contains(.otherText) ? 1 : 0
                result.append(child)
            }
        }
        return lines > others ? result : nil
    }

    /// Returns the elements in code with one line each that directly follow such an element. Some programs
    /// write no line breaks between them.
    static func lineStarts(in code: Int, of tree: HTMLTree) -> Set<Int> {
        var result: Set<Int> = []
        var end = 0
        for index in code..<tree.nodes[code].end where !tree.nodes[index].isText && isLine(index, in: tree) {
            if index == end { result.insert(index) }
            end = tree.nodes[index].end
        }
        return result
    }

    private func isLine(_ index: Int) -> Bool { Self.isLine(index, in: tree) }

    private static func isLine(_ index: Int, in tree: HTMLTree) -> Bool {
        tree.classes(of: index).contains(where: lineClasses.contains)
    }

    private func children(of index: Int) -> some Sequence<Int> {
        let end = tree.nodes[index].end
        return sequence(first: index + 1) { tree.nodes[$0].end }.lazy.prefix { $0 < end }
    }
}

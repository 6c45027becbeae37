/// Builds a tree from the events of a parser.
struct HTMLTreeBuilder {
    /// The attributes that the tree keeps, and the maximum number of bytes of their values.
    private static let keptAttributes: [String: Int] = [
        "class": 512, "id": 256, "role": 64, "href": 2048, "style": 512, "hidden": 16, "aria-hidden": 16,
        "itemprop": 128, "property": 128, "name": 128, "content": 16_384, "rel": 128, "lang": 64,
        "charset": 64, "type": 64, "start": 16, "http-equiv": 64, "encoding": 64,
    ]
    /// The obsolete names of preformatted text.
    private static let preformattedElements: Set<String> = ["listing", "plaintext", "xmp"]
    /// The elements among those that are too deep for the tree whose names say how their texts are read.
    private static let childElements: Set<String> = [
        "p", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "script", "style", "title", "textarea", "option",
    ]
    /// The maximum number of nodes, which bounds the memory.
    private static let maximumNodes = 300_000
    /// The maximum number of bytes of a raised number.
    private static let maximumNumberLength = 8

    private(set) var tree = HTMLTree()
    private var open: [Int] = []
    /// For each open element that is not in the tree, because it is too deep, whether it is a block. The
    /// texts in such elements belong to the deepest element, and those of different blocks to different
    /// children of it, so that their words are not joined.
    private var omitted: [Bool] = []
    /// The name of the child that the next text begins; `nil` if it begins none.
    private var nextChild: String?
    /// Whether the last open element is such a child.
    private var isChildOpen = false
    private let maximumDepth: Int

    init(maximumDepth: Int) { self.maximumDepth = maximumDepth }

    private var isFull: Bool { tree.nodes.count >= Self.maximumNodes }

    /// Returns the maximum number of bytes of an attribute's value; `nil` if the tree does not keep it.
    static func maximumLength(ofAttribute name: String) -> Int? { keptAttributes[name] }

    /// Adds an element, which becomes the parent of the following nodes until ``close()``.
    mutating func open(_ tag: String, _ attributes: [HTMLTree.Attribute]) {
        // The last level is that of the children for the texts of deeper elements.
        guard open.count < maximumDepth - 1, !isFull else {
            if isFull { noteFault() }
            let isBlock = tag == "br" || !HTMLSegmenter.isInline(tag)
            omitted.append(isBlock)
            if isBlock { beginChild(Self.childElements.contains(tag) ? tag : "div") }
            return
        }
        append(tag, attributes)
    }

    private mutating func append(_ tag: String, _ attributes: [HTMLTree.Attribute]) {
        tree.nodes.append(
            .init(
                tag: Self.preformattedElements.contains(tag) ? "pre" : tag, attributes: attributes,
                parent: open.last ?? -1, end: tree.nodes.count + 1,
                depth: open.count))
        open.append(tree.nodes.count - 1)
    }

    private mutating func beginChild(_ tag: String?) {
        if isChildOpen, let last = open.popLast() { tree.nodes[last].end = tree.nodes.count }
        isChildOpen = false
        nextChild = tag
    }

    mutating func close() {
        if let isBlock = omitted.popLast() {
            if isBlock { beginChild("div") }
            return
        }
        beginChild(nil)
        if let last = open.popLast() { tree.nodes[last].end = tree.nodes.count }
    }

    mutating func addText(_ text: String) {
        guard !open.isEmpty, !text.isEmpty else { return }
        guard !isFull else { return noteFault() }
        if let tag = nextChild {
            // Elements without texts need no children, so a page with a million of them remains small.
            guard text.contains(where: { !$0.isWhitespace }) else { return }
            append(tag, [])
            (nextChild, isChildOpen) = (nil, true)
        }
        let parent = open[open.count - 1]
        let text = raised(text) ?? text
        tree.nodes.append(
            .init(tag: "", text: text, parent: parent, end: tree.nodes.count + 1, depth: open.count))
    }

    /// Returns a raised number with a sign, so that it does not become a part of the word before it: `^2` for
    /// a power and `[2]` for a link to a note. Returns `nil` for other texts.
    private func raised(_ text: String) -> String? {
        let elements = open.suffix(2).map { tree.nodes[$0] }
        guard elements.contains(where: { $0.tag == "sup" }), text.utf8.count <= Self.maximumNumberLength
        else { return nil }
        let digits = text.drop { "-−+".contains($0) }
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        let isNote = elements.contains { $0.attribute("href")?.contains("#") == true }
        return isNote ? "[\(text)]" : "^\(text)"
    }

    mutating func finish() -> HTMLTree {
        omitted = []
        while !open.isEmpty { close() }
        return tree
    }

    private mutating func noteFault() {
        tree.fault = "the page has more than \(Self.maximumNodes) elements and texts; the rest was not read"
    }
}

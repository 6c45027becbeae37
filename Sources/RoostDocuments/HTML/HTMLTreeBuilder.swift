/// Builds a tree from the events of a parser.
struct HTMLTreeBuilder {
    /// The attributes that the tree keeps, and the maximum number of bytes of their values.
    private static let keptAttributes: [String: Int] = [
        "class": 512, "id": 256, "role": 64, "href": 2048, "title": 512, "style": 512, "hidden": 16,
        "aria-hidden": 16, "aria-label": 256, "itemprop": 128, "itemtype": 256, "property": 128, "name": 128,
        "content": 16_384, "rel": 128, "datetime": 64, "pubdate": 16, "lang": 64, "charset": 64, "type": 64,
        "start": 16, "http-equiv": 64, "alttext": 512, "alt": 2048, "data-latex": 2048, "display": 16,
        "encoding": 64, "linethickness": 16, "open": 16, "close": 16,
        "shadowrootmode": 16, "value": 16, "reversed": 16,
    ]
    /// The obsolete names of preformatted text.
    private static let preformattedElements: Set<String> = ["listing", "plaintext", "xmp"]
    /// The maximum number of nodes, which bounds the memory.
    private static let maximumNodes = 300_000

    private(set) var tree = HTMLTree()
    private var open: [Int] = []
    /// The number of open elements that are too deep for the tree; their contents belong to the deepest one.
    private var omittedDepth = 0
    private let maximumDepth: Int

    /// Creates a builder.
    init(maximumDepth: Int) { self.maximumDepth = maximumDepth }

    /// Whether the limit on the number of nodes is reached.
    var isFull: Bool { tree.nodes.count >= Self.maximumNodes }

    /// Returns the maximum number of bytes of an attribute's value; `nil` if the tree does not keep it.
    static func maximumLength(ofAttribute name: String) -> Int? { keptAttributes[name] }

    /// Adds an element, which becomes the parent of the following nodes until ``close()``.
    mutating func open(_ tag: String, _ attributes: [HTMLTree.Attribute]) {
        guard open.count < maximumDepth, !isFull else {
            omittedDepth += 1
            if isFull { noteFault() }
            return
        }
        tree.nodes.append(
            .init(
                tag: Self.preformattedElements.contains(tag) ? "pre" : tag, attributes: attributes,
                parent: open.last ?? -1, end: tree.nodes.count + 1,
                depth: open.count))
        open.append(tree.nodes.count - 1)
    }

    /// Ends the innermost open element.
    mutating func close() {
        if omittedDepth > 0 {
            omittedDepth -= 1
        } else if let last = open.popLast() {
            tree.nodes[last].end = tree.nodes.count
        }
    }

    /// Adds a text.
    mutating func addText(_ text: String) {
        guard let parent = open.last, !text.isEmpty else { return }
        guard !isFull else { return noteFault() }
        tree.nodes.append(
            .init(tag: "", text: text, parent: parent, end: tree.nodes.count + 1, depth: open.count))
    }

    /// Ends all elements and returns the tree.
    mutating func finish() -> HTMLTree {
        omittedDepth = 0
        while !open.isEmpty { close() }
        return tree
    }

    private mutating func noteFault() {
        tree.fault = "the page has more than \(Self.maximumNodes) elements and texts; the rest was not read"
    }
}

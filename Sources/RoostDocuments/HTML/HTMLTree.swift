import CGumbo
import Foundation

/// The elements and texts of a page, in document order.
///
/// The nodes are in one array, so that all steps are loops: recursion over deeply nested elements could
/// exhaust the stack.
struct HTMLTree: Sendable {
    /// An element, or a text if ``tag`` is empty.
    struct Node: Sendable {
        /// The name of the element in lowercase letters; empty for a text.
        var tag: String
        var text = ""
        var attributes: [Attribute] = []
        /// The index of the parent, which is smaller than the node's own index; -1 for the root.
        var parent: Int
        var end: Int
        var depth: Int

        var isText: Bool { tag.isEmpty }

        func attribute(_ name: String) -> String? { attributes.first { $0.name == name }?.value }

        var classes: [Substring] { attribute("class")?.split(separator: " ") ?? [] }

        var headingLevel: Int? {
            guard tag.utf8.count == 2, tag.utf8.first == UInt8(ascii: "h") else { return nil }
            return tag.last?.wholeNumberValue
        }

        /// Whether the element states that it is not shown. Contents that are hidden until they are found can
        /// be seen, and so can the panels of tabs, all but one of which are hidden.
        var isHidden: Bool {
            if attribute("role") == "tabpanel" { return false }
            if let value = attribute("hidden"), value.lowercased() != "until-found" { return true }
            guard let style = attribute("style")?.lowercased() else { return false }
            return style.filter { !$0.isWhitespace }.contains("display:none")
        }
    }

    /// An attribute of an element, with its name in lowercase letters.
    struct Attribute: Sendable {
        var name: String
        var value: String
    }

    var nodes: [Node] = []
    /// A message for the user if a part of the page could not be read.
    var fault: String?

    func ancestors(of index: Int) -> some Sequence<Int> {
        sequence(first: nodes[index].parent) { parent in
            parent > 0 ? nodes[parent].parent : nil
        }.lazy.filter { $0 >= 0 }
    }

    /// Returns the number of elements on the path between two elements.
    func distance(_ first: Int, _ second: Int) -> Int {
        var (one, other, distance) = (first, second, 0)
        // A parent has a smaller index than its children.
        while one != other {
            if one > other { one = nodes[one].parent } else { other = nodes[other].parent }
            distance += 1
        }
        return distance
    }

    func enclosingLink(_ index: Int) -> Int? {
        ancestors(of: index).first { nodes[$0].tag == "a" && nodes[$0].attribute("href") != nil }
    }

    /// Returns for each node whether it or one of its ancestors states that it is not shown.
    func hiddenNodes() -> [Bool] {
        var result: [Bool] = []
        result.reserveCapacity(nodes.count)
        for node in nodes { result.append(node.parent >= 0 && result[node.parent] || node.isHidden) }
        return result
    }

    /// Returns the text of a node and its descendants, with single spaces.
    ///
    /// - Parameters:
    ///   - index: The index of the node.
    ///   - maximumBytes: The number of bytes after which the text is cut off. It bounds the time for nested
    ///     elements each of which is examined.
    func text(of index: Int, maximumBytes: Int = .max) -> String {
        var result = CollapsedText(maximumBytes: maximumBytes)
        for child in index..<nodes[index].end where nodes[child].isText {
            result.append(nodes[child].text)
            if result.isFull { break }
        }
        return result.text
    }
}

extension HTMLTree {
    /// Reads the element that was started last, or a whole document, such as a chapter of a book.
    init(_ xml: XMLPull, maximumDepth: Int) throws {
        var builder = HTMLTreeBuilder(maximumDepth: maximumDepth)
        let base = xml.depth
        while let event = try xml.next(), xml.depth >= base {
            switch event {
            case .start(let element):
                let attributes = element.attributes.compactMap { name, value in
                    HTMLTreeBuilder.maximumLength(ofAttribute: name).map {
                        Attribute(name: name, value: String(value.prefix($0)))
                    }
                }
                builder.open(element.name.lowercased(), attributes)
            case .text(let text): builder.addText(text)
            case .end: builder.close()
            }
        }
        self = builder.finish()
    }
}

struct HTMLTreeBuilder {
    /// The attributes that the tree keeps, and the maximum number of bytes of their values.
    private static let keptAttributes: [String: Int] = [
        "class": 512, "id": 256, "role": 64, "href": 2048, "style": 512, "hidden": 16, "property": 128,
        "name": 128, "content": 16_384, "rel": 128, "lang": 64, "type": 64, "start": 16,
    ]
    /// The obsolete names of preformatted text.
    private static let preformattedElements: Set<String> = ["listing", "plaintext", "xmp"]
    /// The maximum number of nodes, which bounds the memory.
    private static let maximumNodes = 300_000
    /// The maximum number of bytes of a raised number.
    private static let maximumNumberLength = 8

    private(set) var tree = HTMLTree()
    private var open: [Int] = []
    /// The open elements that are not in the tree, because they are too deep. Their texts belong to the deepest
    /// element that is.
    private var omitted: [String] = []
    private let maximumDepth: Int

    init(maximumDepth: Int) { self.maximumDepth = maximumDepth }

    private var isFull: Bool { tree.nodes.count >= Self.maximumNodes }

    /// Returns the maximum number of bytes of an attribute's value; `nil` if the tree does not keep it.
    static func maximumLength(ofAttribute name: String) -> Int? { keptAttributes[name] }

    /// Adds an element, which becomes the parent of the following nodes until ``close()``.
    mutating func open(_ tag: String, _ attributes: [HTMLTree.Attribute]) {
        guard open.count < maximumDepth, !isFull else {
            if isFull { noteFault() }
            separateWords()
            omitted.append(tag)
            return
        }
        tree.nodes.append(
            .init(
                tag: Self.preformattedElements.contains(tag) ? "pre" : tag, attributes: attributes,
                parent: open.last ?? -1, end: tree.nodes.count + 1, depth: open.count))
        open.append(tree.nodes.count - 1)
    }

    private mutating func separateWords() { if tree.nodes.last?.text != " " { addText(" ") } }

    mutating func close() {
        if omitted.popLast() != nil {
            separateWords()
        } else if let last = open.popLast() {
            tree.nodes[last].end = tree.nodes.count
        }
    }

    mutating func addText(_ text: String) {
        guard !open.isEmpty, !text.isEmpty else { return }
        guard !isFull else { return noteFault() }
        if let tag = omitted.last, tag == "script" || tag == "style" { return }
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

/// Converts pages to trees with libgumbo, which implements the tree construction of HTML5.
enum GumboParser {
    /// The maximum number of bytes that libgumbo may allocate.
    private static let maximumMemory = 144 << 20
    /// The maximum processor time of libgumbo in milliseconds. Its time is quadratic in the depth of a page.
    private static let maximumTime = 2000

    /// Parses a page in UTF-8. The tree of a page that exceeds the limits on memory and time is empty.
    static func parse(_ page: [UInt8], maximumDepth: Int) -> HTMLTree {
        let tree = page.withUnsafeBufferPointer { buffer -> HTMLTree? in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                var empty: CChar = 0
                let parse =
                    characters.baseAddress.map {
                        roost_gumbo_parse($0, characters.count, maximumMemory, maximumTime)
                    } ?? roost_gumbo_parse(&empty, 0, maximumMemory, maximumTime)
                guard let parse else { return nil }
                defer { roost_gumbo_free(parse) }
                guard let root = parse.pointee.output?.pointee.root else { return nil }
                return Self.tree(of: root, maximumDepth: maximumDepth)
            }
        }
        return tree
            ?? HTMLTree(
                nodes: [.init(tag: "html", parent: -1, end: 1, depth: 0)],
                fault: "the structure of the page is too complex")
    }

    private static func tree(of root: UnsafeMutablePointer<GumboNode>, maximumDepth: Int) -> HTMLTree {
        var builder = HTMLTreeBuilder(maximumDepth: maximumDepth)
        var stack: [(node: UnsafeMutablePointer<GumboNode>, next: UInt32)] = []
        open(root.pointee.v.element, in: &builder)
        stack.append((root, 0))
        while let (node, next) = stack.last {
            let children = node.pointee.v.element.children
            guard next < children.length, let data = children.data[Int(next)] else {
                builder.close()
                stack.removeLast()
                continue
            }
            stack[stack.count - 1].next += 1
            let child = data.assumingMemoryBound(to: GumboNode.self)
            switch child.pointee.type {
            case GUMBO_NODE_ELEMENT, GUMBO_NODE_TEMPLATE:
                open(child.pointee.v.element, in: &builder)
                stack.append((child, 0))
            case GUMBO_NODE_TEXT, GUMBO_NODE_CDATA, GUMBO_NODE_WHITESPACE:
                builder.addText(String(cString: child.pointee.v.text.text))
            default: break
            }
        }
        return builder.finish()
    }

    private static func open(_ element: GumboElement, in builder: inout HTMLTreeBuilder) {
        var attributes: [HTMLTree.Attribute] = []
        for index in 0..<Int(element.attributes.length) {
            guard let data = element.attributes.data[index] else { continue }
            let attribute = data.assumingMemoryBound(to: GumboAttribute.self).pointee
            let name = String(cString: attribute.name)
            guard let maximum = HTMLTreeBuilder.maximumLength(ofAttribute: name) else { continue }
            let length = strnlen(attribute.value, maximum)
            let value = UnsafeRawBufferPointer(start: attribute.value, count: length)
            attributes.append(.init(name: name, value: String(decoding: value, as: UTF8.self)))
        }
        builder.open(name(of: element), attributes)
    }

    private static func name(of element: GumboElement) -> String {
        if element.tag != GUMBO_TAG_UNKNOWN { return String(cString: gumbo_normalized_tagname(element.tag)) }
        var piece = element.original_tag
        gumbo_tag_from_original_text(&piece)
        guard let start = piece.data, piece.length > 0, piece.length <= 64 else { return "unknown" }
        let bytes = UnsafeRawBufferPointer(start: start, count: piece.length)
        return String(decoding: bytes, as: UTF8.self).lowercased()
    }
}

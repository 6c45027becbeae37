import CGumbo
import Foundation

/// Converts pages to trees with libgumbo, which implements the tree construction of HTML5.
enum GumboParser {
    /// The maximum number of bytes that libgumbo may allocate.
    private static let maximumMemory = 144 << 20
    /// The maximum time of libgumbo in milliseconds. Its time is quadratic in the depth of a page.
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

/// The elements and texts of a page, in document order.
///
/// The nodes are in one array, so that all steps are loops: recursion over deeply nested elements could
/// exhaust the stack.
struct HTMLTree: Sendable {
    /// An element, or a text if ``tag`` is empty.
    struct Node: Sendable {
        /// The name of the element in lowercase letters; empty for a text.
        var tag: String
        /// The text; empty for an element.
        var text = ""
        /// The attributes that this module uses.
        var attributes: [Attribute] = []
        /// The index of the parent, which is smaller than the node's own index; -1 for the root.
        var parent: Int
        /// The index after the last descendant.
        var end: Int
        /// The number of ancestors.
        var depth: Int

        var isText: Bool { tag.isEmpty }

        func attribute(_ name: String) -> String? { attributes.first { $0.name == name }?.value }

        var classes: [Substring] { attribute("class")?.split(separator: " ") ?? [] }

        /// The level of a heading; `nil` for other elements.
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

    /// The nodes. The first one is the root.
    var nodes: [Node] = []
    /// A message for the user if a part of the page could not be read.
    var fault: String?

    /// The ancestors of a node, from its parent to the root.
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

    /// Returns the innermost link that contains a node.
    func enclosingLink(_ index: Int) -> Int? {
        ancestors(of: index).first { nodes[$0].tag == "a" && nodes[$0].attribute("href") != nil }
    }

    /// Returns for each node whether it or one of its ancestors states that it is not shown.
    ///
    /// - Complexity: O(number of nodes).
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

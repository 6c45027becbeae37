extension MathElement {
    /// Reads the element that was started last.
    init(_ element: XMLPull.Element, in xml: XMLPull, depth: Int) throws {
        self.init(name: element.name.lowercased(), attributes: element.attributes)
        guard depth < Self.maximumDepth else {
            text = try xml.text()
            return
        }
        var children: [MathElement] = []
        try xml.children(
            { children.append(try MathElement($0, in: xml, depth: depth + 1)) },
            text: { children.append(MathElement(name: "", text: $0)) })
        self.children = children
    }
}

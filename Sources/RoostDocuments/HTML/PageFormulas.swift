/// Finds the formulas of a page, which programs for formulas store in several forms: as MathML, as glyphs, as
/// an image and as TeX.
enum PageFormulas {
    /// The words in classes of elements that contain all forms of a formula.
    private static let containers: Set<String> = ["katex-display", "katex", "mwe-math-element"]
    /// The words in classes of elements with which MathJax 2 shows the formula of a script after them.
    private static let renderings: Set<String> = [
        "MathJax", "MathJax_Preview", "MathJax_Display", "MathJax_SVG", "MathJax_SVG_Display",
        "MathJax_CHTML", "mjx-chtml", "MJXc-display",
    ]
    /// The words in classes of images of formulas whose alternative text is the source.
    private static let images: Set<String> = [
        "tex", "latex", "math", "mwe-math-fallback-image-inline", "mwe-math-fallback-image-display",
        "formulaInl", "formulaDsp",
    ]
    /// The words in classes of elements whose text is the source.
    private static let sources: Set<String> = ["math", "arithmatex"]
    /// The elements that can contain all forms of a formula.
    private static let containerElements: Set<String> = ["span", "div", "mjx-container"]
    /// The elements that no form of a formula has. A page can have a class such as `katex`, too.
    private static let blockElements: Set<String> = [
        "div", "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl", "table", "pre", "blockquote",
        "section", "article", "main", "header", "footer", "body",
    ]
    /// The maximum number of nodes of a container. It bounds the time for nested containers.
    private static let maximumContainerNodes = 5000
    /// The maximum number of siblings between a rendering and its script.
    private static let maximumScriptDistance = 6

    /// Returns the text of a formula; empty for an element that repeats a formula, and `nil` for others.
    static func text(of index: Int, in tree: HTMLTree) -> String? {
        let node = tree.nodes[index]
        switch node.tag {
        case "math": return tree.nodes[index].attribute("alttext")  // (false)
        case "script": return script(index, in: tree)
        case "mjx-container":
            return container(index, in: tree, isDisplay: node.attribute("display") == "true")
        default: break
        }
        let classes = Set(tree.classes(of: index).map(String.init))
        guard !classes.isEmpty else { return nil }
        if node.tag == "img" {
            guard !classes.isDisjoint(with: images), let source = node.attribute("alt") else { return nil }
            // A class such as `math` can also name the subject of a picture.
            let isGeneric = classes.intersection(images).isSubset(of: ["tex", "latex", "math"])
            if isGeneric, !source.contains(where: { "\\^_{=$".contains($0) }) { return nil }
            let isDisplay = classes.contains { $0.hasSuffix("display") || $0.hasSuffix("Dsp") }
            return TeXFormula.markdown(source, isDisplay: isDisplay)
        }
        if !classes.isDisjoint(with: containers) {
            let isDisplay = classes.contains("katex-display") || classes.contains("mwe-math-element-block")
            return container(index, in: tree, isDisplay: isDisplay)
        }
        if !classes.isDisjoint(with: renderings) {
            if isFollowedByScript(index, in: tree) { return "" }
            let isDisplay = classes.contains { $0.hasSuffix("isplay") }
            return container(index, in: tree, isDisplay: isDisplay)
        }
        if !classes.isDisjoint(with: sources), node.end - index == 2 {
            return TeXFormula.delimited(tree.text(of: index))
        }
        return nil
    }

    private static func script(_ index: Int, in tree: HTMLTree) -> String? {
        guard let type = tree.nodes[index].attribute("type")?.lowercased(), type.hasPrefix("math/tex") else {
            return nil
        }
        return TeXFormula.markdown(tree.text(of: index), isDisplay: type.contains("mode=display")) ?? ""
    }

    /// Returns the formula of the MathML, the image or the attribute in a container; `nil` if the element
    /// has other contents.
    private static func container(_ index: Int, in tree: HTMLTree, isDisplay: Bool) -> String? {
        let nodes = index..<tree.nodes[index].end
        guard nodes.count <= maximumContainerNodes, containerElements.contains(tree.nodes[index].tag) else {
            return nil
        }
        var formula: Int?
        var child = index + 1
        while child < nodes.upperBound {
            let node = tree.nodes[child]
            if node.tag == "math" {
                guard formula == nil else { return nil }
                formula = child
                child = node.end
                continue
            }
            let isOwnText = node.isText && node.parent == index && !node.text.allSatisfy(\.isWhitespace)
            guard !isOwnText, !blockElements.contains(node.tag) else { return nil }
            child += 1
        }
        if let formula { return tree.nodes[formula].attribute("alttext") }
        for child in nodes {
            let node = tree.nodes[child]
            if let source = node.attribute("data-latex") ?? (node.tag == "img" ? node.attribute("alt") : nil)
            {
                return TeXFormula.markdown(source, isDisplay: isDisplay)
            }
        }
        return nil
    }

    private static func isFollowedByScript(_ index: Int, in tree: HTMLTree) -> Bool {
        let parent = tree.nodes[index].parent
        guard parent >= 0 else { return false }
        var sibling = tree.nodes[index].end
        for _ in 0..<maximumScriptDistance where sibling < tree.nodes[parent].end {
            if tree.nodes[sibling].tag == "script" {
                return tree.nodes[sibling].attribute("type")?.lowercased().hasPrefix("math/tex") ?? false
            }
            sibling = tree.nodes[sibling].end
        }
        return false
    }
}

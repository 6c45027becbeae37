/// Boxes within the text that are not a part of it.
extension MainContent {
    /// The hints of boxes for subscriptions.
    private static let subscriptionHints = ElementHints.mask(ofGroupsWith: ["newsletter"])
    /// The classes of elements that are left out when a page is printed, such as questions about the page.
    private static let unprintedClasses: Set<Substring> = [
        "noprint", "no-print", "d-print-none", "print:hidden", "hidden-print", "print-hidden", "hide-print",
    ]
    /// The maximum number of words of a box.
    private static let maximumBoxWords = 80
    /// The maximum number of elements from the field to the box.
    private static let maximumBoxDepth = 6

    /// Removes blocks in boxes with a field for a mail address and in elements that are not printed, unless
    /// they are most of the text.
    static func withoutBoxes(_ indices: [Int], _ facts: PageFacts) -> [Int] {
        let boxes = boxes(of: facts)
        guard !boxes.isEmpty else { return indices }
        // A block can also begin with such an element, such as a sign in a paragraph, without being in it.
        let kept = indices.filter { index in
            let texts = facts.blocks[index].texts
            return !facts.tree.ancestors(of: texts[0]).contains { element in
                boxes.contains(element) && texts[texts.count - 1] < facts.tree.nodes[element].end
            }
        }
        func words(_ indices: [Int]) -> Int { indices.reduce(0) { $0 + facts.blocks[$1].counts.words } }
        return words(kept) * 2 >= words(indices) ? kept : indices
    }

    /// Returns the elements that are boxes.
    private static func boxes(of facts: PageFacts) -> Set<Int> {
        var result: Set<Int> = []
        for (index, node) in facts.tree.nodes.enumerated() {
            if node.tag == "input", node.attribute("type")?.lowercased() == "email" {
                let box = Array(facts.tree.ancestors(of: index).prefix(maximumBoxDepth)).last {
                    facts.hints[$0] & subscriptionHints != 0
                        && facts.sums(in: $0).words <= Double(maximumBoxWords)
                }
                if let box { result.insert(box) }
            }
            if let names = node.attribute("class"), names.contains("print"),
                names.split(separator: " ").contains(where: unprintedClasses.contains)
            {
                result.insert(index)
            }
        }
        return result
    }
}

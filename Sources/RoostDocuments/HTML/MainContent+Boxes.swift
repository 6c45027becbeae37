/// Boxes within the text that are not a part of it.
extension MainContent {
    /// The hints of boxes for subscriptions.
    private static let subscriptionHints = ElementHints.mask(ofGroupsWith: ["newsletter"])
    /// The hints of forms for comments.
    private static let commentHints = ElementHints.mask(ofGroupsWith: ["comment"])
    /// The classes of elements that are left out when a page is printed, such as questions about the page.
    private static let unprintedClasses: Set<Substring> = [
        "noprint", "no-print", "d-print-none", "print:hidden", "hidden-print", "print-hidden", "hide-print",
    ]
    /// The words in classes and identifiers of boxes that ask for consent. `cookie` can also name a subject,
    /// so it needs one of the others.
    private static let consentWords: Set<String> = ["gdpr", "cookieconsent", "cookiebanner", "cookienotice"]
    private static let cookieWords: Set<String> = ["cookie", "cookies", "consent", "privacy"]
    private static let noticeWords: Set<String> = [
        "alert", "banner", "bar", "dialog", "law", "message", "modal", "notice", "notification", "overlay",
        "popup", "wall",
    ]
    /// The maximum number of words of a box for a mail address, and of a list that occurs twice.
    private static let maximumBoxWords = 80
    /// The maximum number of words of a box that asks for consent, and of a form for comments.
    private static let maximumNoticeWords = 400
    /// The maximum number of elements from the field to the box.
    private static let maximumBoxDepth = 6

    /// Removes blocks in boxes with a field for a mail address, in elements that are not printed and in the
    /// comments of readers below an article, unless they are most of the text.
    static func withoutBoxes(_ indices: [Int], _ facts: PageFacts) -> [Int] {
        let rest = without(boxes(of: facts).union(repeatedLists(of: facts)), indices, facts)
        return without(comments(of: facts), rest, facts)
    }

    /// Removes blocks in some elements, unless they are most of the text.
    private static func without(_ boxes: Set<Int>, _ indices: [Int], _ facts: PageFacts) -> [Int] {
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

    /// Returns whether an element asks for consent to cookies.
    private static func asksForConsent(_ node: HTMLTree.Node) -> Bool {
        guard !["html", "body", "main", "article"].contains(node.tag) else { return false }
        let names = ["class", "id"].compactMap(node.attribute).joined(separator: " ")
        guard names.utf8.count >= 3 else { return false }
        let words = Set(ElementHints.words(names))
        if !words.isDisjoint(with: consentWords) { return true }
        let isDialog = node.tag == "dialog" || ["dialog", "alertdialog"].contains(node.attribute("role"))
        return !words.isDisjoint(with: cookieWords) && (isDialog || !words.isDisjoint(with: noticeWords))
    }

    /// Returns the form for comments around a field for text, the instructions and conditions of which are
    /// not a part of the page's text.
    private static func form(around field: Int, _ facts: PageFacts) -> Int? {
        let ancestors = Array(facts.tree.ancestors(of: field))
        guard let position = ancestors.firstIndex(where: { facts.tree.nodes[$0].tag == "form" }),
            facts.sums(in: ancestors[position]).words <= Double(maximumNoticeWords),
            ancestors[position...].prefix(3).contains(where: { facts.hints[$0] & commentHints != 0 })
        else { return nil }
        return ancestors[position]
    }

    /// Returns the short lists of links that occur twice in the same element, such as those to the messages
    /// before and after this one, above and below it.
    private static func repeatedLists(of facts: PageFacts) -> Set<Int> {
        struct List: Hashable {
            var parent: Int
            var texts: [String]
        }
        var lists: [List: [Int]] = [:]
        for (index, node) in facts.tree.nodes.enumerated() where node.tag == "ul" || node.tag == "ol" {
            let blocks = facts.blocks(in: index)
            let sums = facts.sums(ofBlocks: blocks)
            guard !blocks.isEmpty, sums.words <= Double(maximumBoxWords), sums.linkDensity >= 0.5 else {
                continue
            }
            lists[List(parent: node.parent, texts: facts.blocks[blocks].map(\.text)), default: []].append(
                index)
        }
        return Set(lists.values.lazy.filter { $0.count > 1 }.joined())
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
            if node.tag == "textarea", let form = form(around: index, facts) { result.insert(form) }
            if asksForConsent(node), facts.sums(in: index).words <= Double(maximumNoticeWords) {
                result.insert(index)
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

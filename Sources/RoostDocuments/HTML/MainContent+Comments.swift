/// The comments of readers below an article.
extension MainContent {
    /// The words in classes and identifiers of elements with comments.
    private static let words: Set<String> = ["comments", "commentlist", "disqus"]
    /// The types of pages whose comments are content, such as those of forums.
    private static let discussions: Set<String> = [
        "discussionforumposting", "qapage", "question", "faqpage", "product",
    ]

    /// Returns the elements with the comments of readers, if the page states that it is an article.
    static func comments(of facts: PageFacts) -> Set<Int> {
        let types = facts.metadata.types
        let isArticle = types.contains { $0.hasSuffix("article") || $0 == "blogposting" }
        guard isArticle, types.isDisjoint(with: discussions) else { return [] }
        var result: Set<Int> = []
        for (index, node) in facts.tree.nodes.enumerated()
        where ["div", "section", "aside", "ol", "ul"].contains(node.tag) {
            let names = ["class", "id"].compactMap(node.attribute).joined(separator: " ")
            guard names.utf8.count >= 6, !words.isDisjoint(with: ElementHints.words(names)),
                !facts.candidatePath.contains(index), !facts.headingPath.contains(index)
            else { continue }
            result.insert(index)
        }
        return result
    }
}

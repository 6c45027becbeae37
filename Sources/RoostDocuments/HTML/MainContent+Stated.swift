/// Blocks whose text the page states in JSON-LD or microdata.
extension MainContent {
    /// The properties of a recipe whose values are parts of its text.
    private static let recipeProperties: Set<String> = [
        "recipeingredient", "ingredients", "recipeinstructions",
    ]

    /// Adds the blocks whose texts are stated, each text once: ingredients and steps are short, and answers
    /// are often in collapsed elements, so their own scores are low. The title of the page, such as a
    /// question in a forum, is not part of the text.
    mutating func addStated() {
        let stated = facts.metadata.statedText
        let isRecipe = facts.tree.nodesWithin { node in
            node.attribute("itemprop").map { Self.recipeProperties.contains($0.lowercased()) } ?? false
        }
        guard !stated.isEmpty || isRecipe.contains(true) else { return }
        let titles = [facts.metadata.title, facts.metadata.windowTitle].compactMap { $0 }
            .map(StatedText.words)
        var known = Set(isChosen.indices.filter { isChosen[$0] }.map { facts.blocks[$0].text })
        for (index, block) in facts.blocks.enumerated() where !isChosen[index] {
            guard isRecipe[block.container] || stated.contains(block.text), facts.headingLevel(block) != 1,
                !titles.contains(StatedText.words(of: block.text)), known.insert(block.text).inserted
            else { continue }
            isChosen[index] = true
        }
    }
}

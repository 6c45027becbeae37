/// Short texts that belong to the main content although their scores are low.
extension MainContent {
    /// The maximum number of words of a fact, such as a place and its label, and of all facts.
    private static let (maximumFactWords, maximumFactsWords) = (12, 80)
    /// The maximum number of elements from a fact to the container that it shares with the text.
    private static let maximumFactDepth = 5

    /// Adds the facts between the main heading of an offer of a job and its text, such as the place and the
    /// salary. They are short and without links. On other pages, such texts are often about the page.
    mutating func addFacts() {
        guard facts.metadata.types.contains("jobposting"), let heading = facts.mainHeading,
            let first = isChosen.firstIndex(of: true), heading < first
        else { return }
        let found = ((heading + 1)..<first).filter { index in
            let block = facts.blocks[index]
            guard block.links == 0, block.counts.words <= Self.maximumFactWords else { return false }
            let (container, depth, _) = common(index, first)
            return depth <= Self.maximumFactDepth && belongs(index, to: container)
        }
        let words = found.reduce(0) { $0 + facts.blocks[$1].counts.words }
        guard words <= Self.maximumFactsWords else { return }
        for index in found { isChosen[index] = true }
    }
}

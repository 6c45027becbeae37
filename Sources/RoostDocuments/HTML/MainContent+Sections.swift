/// The texts of chosen headings.
extension MainContent {
    /// Adds the texts below chosen headings without a chosen block, such as the answers to questions, if it
    /// is not likely that they are something else. A heading without its text says little.
    mutating func addSectionTexts() {
        for heading in isChosen.indices where isChosen[heading] {
            guard let level = facts.headingLevel(facts.blocks[heading]), level > 1 else { continue }
            for index in textBelow(heading) { isChosen[index] = true }
        }
    }

    /// Returns the blocks between a heading and the next one that are near a common container, if none of
    /// them is chosen.
    private func textBelow(_ heading: Int) -> [Int] {
        var result: [Int] = []
        for index in isChosen.indices.dropFirst(heading + 1) {
            if facts.headingLevel(facts.blocks[index]) != nil { break }
            if isChosen[index] { return [] }
            let (container, before, after) = common(heading, index)
            guard max(before, after) <= Self.maximumGapDepth, belongs(index, to: container) else { break }
            result.append(index)
        }
        return areLikely(result) ? result : []
    }
}

/// The answers to chosen questions.
extension MainContent {
    /// The question marks of Latin, East Asian and Arabic texts.
    private static let questionMarks: Set<Character> = ["?", "？", "؟"]

    /// Adds the text below a chosen heading that is a question, if none of it is chosen and it is not likely
    /// to be something else. An answer is often short, so its own score is low.
    mutating func addAnswers() {
        for heading in isChosen.indices where isChosen[heading] && isQuestion(heading) {
            for index in textBelow(heading) { isChosen[index] = true }
        }
    }

    private func isQuestion(_ index: Int) -> Bool {
        let block = facts.blocks[index]
        guard let level = facts.headingLevel(block), level > 1 else { return false }
        return block.text.last { !$0.isWhitespace }.map(Self.questionMarks.contains) ?? false
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

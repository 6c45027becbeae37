/// The tokens of a text, without the special tokens before and after them.
struct TokenSequence: Sendable {
    /// The ids in the vocabulary of the model.
    private(set) var ids: [Int32] = []
    /// The UTF-8 range of each token in the text. The ranges are ascending and disjoint.
    private(set) var ranges: [Range<Int>] = []

    /// Adds a token at the end.
    ///
    /// Two tokens may come from one character, such as a decomposed ligature; the second gets an empty range.
    mutating func append(_ id: Int32, _ range: Range<Int>) {
        ids.append(id)
        let start = max(range.lowerBound, ranges.last?.upperBound ?? 0)
        ranges.append(start..<max(start, range.upperBound))
    }

    mutating func removeAll(from index: Int) {
        ids.removeSubrange(index...)
        ranges.removeSubrange(index...)
    }
}

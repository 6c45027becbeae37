import Foundation

extension EntryCondition.Test {
    /// Returns whether the test is true for the tags of an entry: for at least one of them or, for
    /// ``differs(_:)``, for all.
    func holds(ofTags tags: [String]) -> Bool {
        func any(of operands: [String]) -> Bool {
            let names = operands.map(TagName.init)
            return tags.contains { tag in
                let tag = TagName(tag)
                return names.contains { $0.includes(tag) }
            }
        }
        switch self {
        case .equals(let operand): return any(of: [operand])
        case .differs(let operand): return !any(of: [operand])
        case .isOneOf(let operands): return any(of: operands)
        case .exists: return !tags.isEmpty
        case .isMissing: return tags.isEmpty
        case .isLess(let operand): return compare(tags, EntryCondition.Test.isLess, TagName(operand).text)
        case .isAtMost(let operand): return compare(tags, EntryCondition.Test.isAtMost, TagName(operand).text)
        case .isGreater(let operand):
            return compare(tags, EntryCondition.Test.isGreater, TagName(operand).text)
        case .isAtLeast(let operand):
            return compare(tags, EntryCondition.Test.isAtLeast, TagName(operand).text)
        case .hasPrefix(let prefix):
            // The name of a tag would not have the slash in `project/`.
            return compare(tags, EntryCondition.Test.hasPrefix, TagName.folded(prefix))
        }
    }

    /// Applies a test of texts to the names of tags.
    private func compare(_ tags: [String], _ test: (String) -> Self, _ operand: String) -> Bool {
        let names = tags.map { TagName($0).text.precomposedStringWithCanonicalMapping }
        return test(operand.precomposedStringWithCanonicalMapping).holds(of: names, exists: !tags.isEmpty)
    }

    /// Returns those of the given tags for which the test is true. For ``differs(_:)`` and ``isMissing``,
    /// these are the tags that an entry must not have.
    ///
    /// A storage that cannot compare names of tags itself looks up the entries with these tags. The number of
    /// different tags in a store is usually small.
    package func tags(among tags: some Sequence<String>) -> [String] {
        let test: Self =
            switch self {
            case .differs(let operand): .equals(operand)
            case .isMissing: .exists
            default: self
            }
        return tags.filter { test.holds(ofTags: [$0]) }
    }
}

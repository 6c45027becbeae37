extension EntryFilter {
    /// Returns whether two filters have the same conditions. Texts are compared byte by byte, because filters
    /// whose texts differ only in Unicode normalization match different entries.
    public static func == (left: EntryFilter, right: EntryFilter) -> Bool {
        left.ids == right.ids && left.idPrefix == right.idPrefix && left.cluster == right.cluster
            && left.isUnclustered == right.isUnclustered
            && left.sources == right.sources && left.tags == right.tags && left.metadata == right.metadata
            && left.creationPeriod == right.creationPeriod && left.changePeriod == right.changePeriod
            && left.period == right.period
            && left.conditions == right.conditions
            && zip(left.texts, right.texts).allSatisfy { ExactText.areSame($0, $1) }
    }

    /// The texts of the filter. Filters whose texts are equal as Swift strings list them in the same order.
    private var texts: [String] {
        (sources ?? []).sorted() + tags.sorted()
            + metadata.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
    }
}

extension EntryCondition {
    /// Returns whether two conditions are the same. Texts are compared byte by byte.
    public static func == (left: EntryCondition, right: EntryCondition) -> Bool {
        left.field == right.field && left.test == right.test
            && zip(left.texts, right.texts).allSatisfy { ExactText.areSame($0, $1) }
    }

    private var texts: [String] {
        let key: [String] = if case .metadata(let key) = field { [key] } else { [] }
        return switch test {
        case .equals(let text), .differs(let text), .isLess(let text), .isAtMost(let text),
            .isGreater(let text), .isAtLeast(let text), .hasPrefix(let text):
            key + [text]
        case .isOneOf(let texts): key + texts
        case .exists, .isMissing: key
        }
    }
}

/// The result of ``PassageSearch/nearestPassages(to:limit:in:isExact:)``.
public struct NearestPassages: Sendable {
    /// The passages, nearest first.
    public var passages: [NearestPassage]
    /// The way in which they were found.
    public var plan: PassageSearchPlan

    /// Creates a result.
    public init(passages: [NearestPassage], plan: PassageSearchPlan) {
        (self.passages, self.plan) = (passages, plan)
    }
}

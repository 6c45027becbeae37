import Roost

extension HitDocument.Additions {
    /// Creates the members that the options of a search request.
    init(_ search: SearchOptions) {
        self.init(context: search.context, hasExplanation: search.explain, hasDuplicates: search.fold)
    }
}

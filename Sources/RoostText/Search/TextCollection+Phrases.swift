extension TextCollection {
    /// Returns a query in which required phrases that no document contains are text: their words only
    /// contribute to the scores. If each phrase occurs, but no document has all of them, all are text.
    ///
    /// - Parameters:
    ///   - query: A resolved query.
    ///   - isAllowed: Returns whether the result may contain the given document of the given part.
    /// - Returns: The query unchanged if a document matches it.
    /// - Throws: `CancellationError`.
    package func relaxed(
        _ query: TextQuery, isAllowed: (_ part: Int, _ document: Int) -> Bool
    ) throws -> TextQuery {
        func matches(_ required: [TextQuery.Clause]) throws -> Bool {
            var restricted = query
            restricted.required = required
            guard let allowed = try allowed(by: restricted) else { return true }
            return allowed.indices.contains { part in
                allowed[part].indices.contains { allowed[part][$0] && isAllowed(part, $0) }
            }
        }
        guard !query.required.isEmpty, try !matches(query.required) else { return query }
        var kept = try query.required.filter { try matches([$0]) }
        if try !matches(kept) { kept = [] }
        var relaxed = query
        relaxed.required = kept
        relaxed.unmatchedPhrases = query.required.filter { !kept.contains($0) }.map(\.text)
        return relaxed
    }
}

extension TextQuery {
    /// Everything that a text must contain or must not contain.
    var conditions: [Condition] {
        required.map { Condition(clauses: [$0], isExcluded: false) }
            + excluded.map { Condition(clauses: [$0], isExcluded: true) } + fieldConditions
    }
}

extension TextQuery.Clause {
    /// The words in lower case.
    fileprivate var text: String {
        switch self {
        case .phrase(let terms):
            terms.map { String(decoding: $0.folding.spelling, as: UTF8.self) }.joined(separator: " ")
        case .anyPhrase(let phrases): phrases.first.map { Self.phrase($0).text } ?? ""
        case .prefix(let prefix): String(decoding: prefix, as: UTF8.self) + "*"
        }
    }
}

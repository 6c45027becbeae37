import RoostModel
import RoostText

extension QueryHit: Encodable {
    /// Encodes the hit without vectors and without the member `snippet`, which depends on the query:
    /// ``QueryResult`` encodes it, too.
    ///
    /// - Complexity: O(length of the entry).
    public func encode(to encoder: any Encoder) throws {
        try HitDocument(self, nil, .complete).encode(to: encoder)
    }
}

extension HitDocument.Additions {
    /// The members of the library's form, which does not depend on options.
    fileprivate static let complete = Self(hasExplanation: true, hasDuplicates: true)
}

extension SearchNotice: Encodable {
    private enum CodingKeys: String, CodingKey { case message, remedy }

    /// Encodes the message and, if there is one, the name of the remedy.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(message, forKey: .message)
        try container.encodeIfPresent(remedy?.rawValue, forKey: .remedy)
    }
}

extension QueryResult: Encodable {
    private enum CodingKeys: String, CodingKey {
        case hits, nearest, stamp, candidateCount, omittedTokens, notices, corrections
    }

    /// Encodes an object with the properties of the result, and ``corrections``.
    ///
    /// The members `hits` and `nearest` are arrays of hits with the `snippet` of each (``snippet(of:limit:)``).
    /// The words of the query and ``databasePlan`` are omitted.
    public func encode(to encoder: any Encoder) throws {
        func documents(_ hits: [QueryHit]) -> [HitDocument] {
            hits.map { HitDocument($0, snippet(of: $0), .complete) }
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(documents(hits), forKey: .hits)
        try container.encode(documents(nearest), forKey: .nearest)
        try container.encode(stamp, forKey: .stamp)
        try container.encode(candidateCount, forKey: .candidateCount)
        try container.encode(omittedTokens, forKey: .omittedTokens)
        try container.encode(notices, forKey: .notices)
        try container.encode(corrections, forKey: .corrections)
    }
}

import RoostModel

/// The vectors that a search compares with its query.
enum SearchVectors: Sendable {
    /// The vectors in the client's index.
    case client(PassageContents)
    case database(DatabaseVectors)

    /// The distribution of the cosines of random pairs of passages.
    var statistics: PairStatistics {
        switch self {
        case .client(let passages): passages.statistics
        case .database(let vectors): vectors.statistics
        }
    }

    /// The index of the client, if it is searched.
    var index: PassageContents? {
        if case .client(let passages) = self { passages } else { nil }
    }
}

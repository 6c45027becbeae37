/// A defect of a derived index that a search has detected.
enum IndexFault: Error {
    /// The graph does not match its checksums. The vectors may be intact.
    case corruptGraph(String)
    /// The mapped vectors do not match their checksums.
    case corruptVectors(String)
    /// The positions of words, which phrases need, do not match their checksums.
    case corruptPositions
    /// A vector in the index differs from that in the storage, though the entry has not changed since.
    case vectorsDisagree
    /// A word in the index does not occur in the entry in the storage, though the entry has not changed
    /// since.
    case wordsDisagree
}

/// The health of one derived index during one search, as far as its disagreements with the storage show it.
///
/// A disagreement has two possible causes: an entry was changed between the search of the index and the
/// reading of the entry, or the index belongs to other contents. The first does not happen again; so the
/// search is repeated once with the same index, and then with an index that is built from the storage.
enum IndexHealth: Equatable {
    /// The index has always agreed with the storage.
    case trusted
    /// The index has disagreed once.
    case suspected
    /// The index has been built from the storage, and searched this many times since. Only concurrent
    /// changes can still cause disagreements.
    case rebuilt(searches: Int)

    /// The reaction of a search to a disagreement.
    enum Recovery {
        case searchAgain
        case rebuildAndSearchAgain
        case giveUp
    }

    /// The maximum number of searches of a rebuilt index before the search fails.
    private static let maximumSearchesAfterRebuild = 3

    /// Records a disagreement and returns what the search does next.
    mutating func recordDisagreement() -> Recovery {
        switch self {
        case .trusted:
            self = .suspected
            return .searchAgain
        case .suspected:
            self = .rebuilt(searches: 1)
            return .rebuildAndSearchAgain
        case .rebuilt(let searches) where searches < Self.maximumSearchesAfterRebuild:
            self = .rebuilt(searches: searches + 1)
            return .searchAgain
        case .rebuilt: return .giveUp
        }
    }
}

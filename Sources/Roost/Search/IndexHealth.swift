/// The health of one derived index during one search, judged by its disagreements with the storage.
///
/// A disagreement has two possible causes: an entry was changed between the search of the index and the
/// reading of the entry, or the index was built from other contents. A disagreement of the first kind is
/// unlikely to recur, so the search is repeated once with the same index, and after that with an index that
/// is built from the storage.
enum IndexHealth: Equatable {
    /// The index has always agreed with the storage.
    case trusted
    /// The index has disagreed once.
    case suspected
    /// The index has been rebuilt from the storage and has been searched this many times since then. Only
    /// concurrent changes can still cause disagreements.
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

import RoostModel

/// The best entries by vector and by words, with at most `depth` entries in each list.
struct CandidateLists {
    /// The entries with the nearest passages, nearest first; `nil` if vectors are not searched.
    var nearest: [PassageContents.Hit]?
    /// The best entries by words, best first; `nil` if words are not searched.
    var worded: [TextContents.Hit]?
    /// The scores by words of entries that are only among the nearest.
    var textScores: [Entry.ID: Float] = [:]
    /// The nearest passages of entries that are only among the best by words.
    var passages: [Entry.ID: PassageContents.Hit] = [:]
    /// The cosines of whole entries with several passages.
    var entryCosines: [Entry.ID: Float] = [:]
    /// The cosines of the entries with the best entries; empty if cosines are not corrected.
    var projections: [Entry.ID: Float] = [:]
    /// The maximum length of each list.
    var depth: Int
    /// The vectors of the entries of the lists; the vectors of all entries if the client has an index.
    var vectors = PassageContents()
    /// How the database found the nearest passages; `nil` if the client's index found them.
    var databasePlan: PassageSearchPlan?

    /// Whether neither list was cut off at `depth`. If so, longer lists would contain the same entries.
    var areComplete: Bool { (nearest?.count ?? 0) < depth && (worded?.count ?? 0) < depth }
}

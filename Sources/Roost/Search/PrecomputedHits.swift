import RoostModel

/// The nearest passages for one query, found together with those of other queries or while words were scored.
struct PrecomputedHits: Sendable {
    var depth: Int
    var hits: [PassageContents.Hit]
    /// How the database found the passages; `nil` if the client's index found them.
    var databasePlan: PassageSearchPlan?
}

import RoostModel

/// An entry that is in one or both candidate lists.
struct Candidate: Sendable {
    var id: Entry.ID
    /// The storage's row of the entry, as the index states it.
    var row: UInt32
    /// The sum of `weight / (60 + rank)` over the lists that contain the entry.
    var fused: Float = 0
    /// The rank among the nearest vectors, from 1.
    var vectorRank: Int?
    /// The nearest passage, if vectors are searched and the index contains the entry.
    var passage: PassageContents.Hit?
    /// The cosine of the whole entry, if it has several passages and vectors are searched.
    var entryCosine: Float?
    /// The rank among the best entries by words, from 1.
    var textRank: Int?
    /// The score by words, if the entry contains any of them.
    var textScore: Float?
    /// The evidence according to the indexes. The evidence of the final hit is computed from the stored
    /// vectors.
    var evidence: Float = 0
}

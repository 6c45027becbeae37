import RoostModel

/// An entry that is among the nearest or among the best by words, according to the indexes.
struct Candidate: Sendable {
    var id: Entry.ID
    /// The storage's row of the entry.
    var row: UInt32
    /// The nearest passage, if vectors are searched and the index contains the entry.
    var passage: PassageContents.Hit?
    /// The cosine of the whole entry, if it has several passages and vectors are searched.
    var entryCosine: Float?
    /// The score by words; 0 if the entry contains none of them.
    var wordScore: Float = 0
    var evidence = Relevance.Evidence(meaning: 0, words: 0)
}

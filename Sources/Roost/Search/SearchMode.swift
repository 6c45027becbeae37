/// The ways in which a search finds entries.
public enum SearchMode: String, Sendable, Hashable, CaseIterable, Codable {
    /// By meaning and by words, whose evidence is combined into one score.
    case hybrid
    /// By the cosine similarity of vectors only.
    case vector
    /// By words only (BM25). If the model of the store cannot be used, the hits have no similarity.
    case text
}

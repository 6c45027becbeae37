public import RoostModel

/// A search for entries: its subject, the entries it may find, and the shape of its result.
///
///     let search = EntrySearch(
///         "spawning seasons", matching: [.metadata("year") >= 2015, .tag("fish")], limit: 5)
///     for hit in try await store.search(search).hits { print(hit.entry.content) }
///
/// A search is a value. The initializer has parameters for the settings that most searches need; all settings
/// are properties.
public struct EntrySearch: Sendable, Hashable {
    /// The value that a search compares entries with: a text, other entries or a vector.
    public enum Subject: Sendable, Hashable {
        /// A query, which is embedded, whose words are searched for, or both, depending on
        /// ``EntrySearch/mode``. It can have operators in every mode (`TextQuery`).
        case text(String)
        /// A text of any length that is embedded as if it were an entry: split into passages, whose mean
        /// vector is compared with passages and with whole entries (``QueryHit/similarity``). Words are not
        /// searched for.
        ///
        /// Whole entries are compared if their nearest passage is among the nearest of the store (200
        /// entries, or more if the limit exceeds this number).
        case document(String)
        /// Entries of the store, which are compared by the mean of their vectors, as a document is. The
        /// result excludes them. Words are not searched for.
        case entries([Entry.ID])
        /// A vector of the store's embedding space. Words are not searched for.
        case vector([Float])
    }

    /// The text, entries or vector that entries are compared with.
    public var subject: Subject
    /// How entries are found, if the subject is a text.
    public var mode = SearchMode.hybrid
    /// The maximum number of hits. With 0 or a negative number, the result has no hits.
    public var limit: Int
    /// The number of best hits to skip before the first hit of the result. A negative number is treated as 0.
    public var offset = 0
    /// The condition that entries must meet. It applies before the limit, so a filter does not make a result
    /// shorter than the limit if enough entries match.
    public var filter: EntryFilter
    /// The minimum score of a hit, from 0 to 1. With `nil`, a result is empty if no entry is close to the
    /// query (``QueryResult/nearest``), and a list ends before the first unrelated entry, unless ``includesAll`` is set.
    public var minimumScore: Float?
    /// Whether the result has hits even if no entry is close to the query, and hits that are not related to it.
    public var includesAll = false
    /// Whether words are searched for exactly as the query spells them, apart from inflection. Otherwise,
    /// words that the store does not contain are replaced with similar words (``QueryResult/corrections``).
    public var usesExactWords = false
    /// The entries that the caller may see, which the filter must not exceed; `nil` for all entries. Only
    /// these decide which words are replaced, how rare words are, and how similar unrelated texts are:
    /// otherwise, corrections, scores and the hits that are noise would tell about hidden entries.
    public var visible: EntryFilter?
    /// Whether all vectors are compared. If `false`, the search of a large store may use a graph index, which
    /// finds nearly all of the nearest passages.
    public var isExact = false
    /// Whether the hits are passages, so that an entry with several good passages is listed several times
    /// (``QueryHit/passage``). Otherwise, an entry is listed once, with its nearest passage.
    public var listsPassages = false

    /// Creates a search. By default, every entry meets the condition.
    public init(_ subject: Subject, matching filter: EntryFilter = .all, limit: Int = 10) {
        self.subject = subject
        self.filter = filter
        self.limit = limit
    }

    /// Creates a search for a query, which may have operators (``Subject/text(_:)``).
    public init(_ text: String, matching filter: EntryFilter = .all, limit: Int = 10) {
        self.init(.text(text), matching: filter, limit: limit)
    }
}

extension EntrySearch {
    /// The search without its subject. Searches with equal settings can be run together.
    var settings: EntrySearch { changing(self) { $0.subject = .text("") } }
}

/// The ways in which a search finds entries.
public enum SearchMode: String, Sendable, Hashable, CaseIterable, Codable {
    /// By meaning and by words, whose evidence is combined into one score.
    case hybrid
    /// By the cosine similarity of vectors only.
    case vector
    /// By words only (BM25). If the model of the store cannot be used, the hits have no similarity.
    case text
}

public import Foundation
public import RoostModel

/// A search that is put together step by step and run at the end; what ``QueryOptions`` say, said in a row.
///
///     let result = try await store.search(for: "spawning seasons")
///         .where(.metadata("year"), .isGreater("2015"))
///         .tagged("fish").limit(5).result()
///
/// A value: each step gives another search and leaves the one before as it is.
public struct EntrySearch: Sendable {
    private enum Subject: Sendable {
        case text(String)
        case entries([Entry.ID])
        case vector([Float])
    }

    private let store: KnowledgeStore
    private let subject: Subject
    /// What the steps have set so far.
    public private(set) var options = QueryOptions()

    private init(_ store: KnowledgeStore, _ subject: Subject) {
        self.store = store
        self.subject = subject
    }

    fileprivate init(_ store: KnowledgeStore, text: String) { self.init(store, .text(text)) }
    fileprivate init(_ store: KnowledgeStore, entries: [Entry.ID]) { self.init(store, .entries(entries)) }
    fileprivate init(_ store: KnowledgeStore, vector: [Float]) { self.init(store, .vector(vector)) }

    private func with(_ change: (inout QueryOptions) -> Void) -> EntrySearch {
        var copy = self
        change(&copy.options)
        return copy
    }

    // MARK: How

    /// By meaning, by words, or by both; of a search for a text.
    public func mode(_ mode: SearchMode) -> EntrySearch { with { $0.mode = mode } }

    /// How much places among the nearest vectors and among the best words count.
    public func weights(vector: Float, text: Float) -> EntrySearch {
        with { ($0.vectorWeight, $0.textWeight) = (vector, text) }
    }

    /// Compares every vector, also where the store has a graph.
    public func exact() -> EntrySearch { with { $0.isExact = true } }

    // MARK: How many

    public func limit(_ limit: Int) -> EntrySearch { with { $0.limit = limit } }
    public func offset(_ offset: Int) -> EntrySearch { with { $0.offset = offset } }
    public func minimumScore(_ score: Float) -> EntrySearch { with { $0.minimumScore = score } }

    /// Prefers hits that differ from those before them; from 0 to 1.
    public func diverse(_ diversity: Float = 0.4) -> EntrySearch { with { $0.diversity = diversity } }

    /// Shows entries with at least this cosine as one.
    public func folding(_ threshold: Float = 0.95) -> EntrySearch {
        with { $0.duplicateThreshold = threshold }
    }

    // MARK: Among which

    /// Only what meets a filter, in the place of all conditions so far.
    public func matching(_ filter: EntryFilter) -> EntrySearch { with { $0.filter = filter } }

    public func `where`(_ field: EntryCondition.Field, _ test: EntryCondition.Test) -> EntrySearch {
        with { $0.filter.conditions.append(EntryCondition(field, test)) }
    }

    /// Only entries with these tags too.
    public func tagged(_ tags: String...) -> EntrySearch { with { $0.filter.tags.formUnion(tags) } }

    /// Only members of a cluster.
    public func inCluster(_ cluster: Cluster.ID) -> EntrySearch { with { $0.filter.cluster = cluster } }

    /// Only entries that were last changed in a span of time.
    public func updated(in span: Range<Date>) -> EntrySearch { with { $0.filter.updated = span } }

    // MARK: Running

    /// - Throws: as ``KnowledgeStore/query(_:_:)``, ``KnowledgeStore/similar(to:_:)-([Entry.ID],_)`` and
    ///   ``KnowledgeStore/search(_:_:)``.
    public func result() async throws -> QueryResult {
        switch subject {
        case .text(let text): try await store.query(text, options)
        case .entries(let ids): try await store.similar(to: ids, options)
        case .vector(let vector): try await store.search(vector, options)
        }
    }

    /// The hits of ``result()``.
    public func hits() async throws -> [QueryHit] { try await result().hits }
}

extension KnowledgeStore {
    /// A search for a text.
    public func search(for text: String) -> EntrySearch { EntrySearch(self, text: text) }

    /// A search for what is near to some entries.
    public func search(near entries: Entry.ID...) -> EntrySearch { EntrySearch(self, entries: entries) }

    /// A search for what is near to a vector of the store's space.
    public func search(near vector: [Float]) -> EntrySearch { EntrySearch(self, vector: vector) }

    /// The changes of the store as they come, those of other processes too.
    ///
    /// - Parameter cursor: `.start` for every entry that is there, then its changes; `nil` for what comes
    ///   from now on.
    public func changes(after cursor: ChangeCursor? = nil) async throws -> ChangeBatches {
        let start = if let cursor { cursor } else { try await storage.snapshot().stamp.cursor }
        return storage.changeBatches(after: start)
    }
}

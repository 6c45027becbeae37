import Foundation
import Roost
import RoostModel

/// One search of a memory: finds candidates, scores them, and adds their context.
struct Recall: Sendable {
    private let store: KnowledgeStore
    private let query: String
    private let filter: ConversationMemory.Filter
    private let options: RecallOptions
    private let now: Date
    private let times: TimesInText?

    /// The number of candidates taken from each of the two searches, by meaning and by words. With fewer
    /// candidates, good answers that only one of the two searches ranks high would be missed.
    private static let candidateCount = 200
    /// The share of the scores of adjacent messages that is added to a message's score. An answer often
    /// follows a question that contains the words of the query.
    private static let neighborShare: Float = 0.1
    /// The bonus for a message whose time is one that the query names.
    private static let timeBonus: Float = 0.25
    /// The maximum number of time ranges named in a query for which additional candidates are searched.
    private static let maximumTimes = 3
    /// The maximum number of context messages on each side of a message.
    private static let maximumContext = 1000

    /// - Throws: `RoostError` with `.badInput` for options out of range.
    init(
        store: KnowledgeStore, query: String, filter: ConversationMemory.Filter, options: RecallOptions
    ) throws {
        func require(_ condition: Bool, _ requirement: String) throws {
            guard condition else { throw RoostError(.badInput, "cannot recall: \(requirement)") }
        }
        try require(options.limit > 0, "the limit must be at least 1")
        try require(
            (0...Self.maximumContext).contains(options.context),
            "the context must be from 0 to \(Self.maximumContext) messages")
        try require(options.tokenBudget.map { $0 > 0 } ?? true, "the token budget must be at least 1")
        if let recency = options.recency {
            try require((0...1).contains(recency.weight), "the weight of the age must be from 0 to 1")
            try require(recency.halfLife > 0, "the half-life must be positive")
        }
        (self.store, self.query, self.filter, self.options) = (store, query, filter, options)
        now = options.now ?? Date()
        times = options.readsTimes ? TimesInText(query, now: now, timeZone: options.timeZone) : nil
    }

    func run() async throws -> [Recollection] {
        let found = scored(try await candidates())
            .sorted { ($1.score, $0.message.id.uuidString) < ($0.score, $1.message.id.uuidString) }
        return fitted(try await withContext(Array(found.prefix(options.limit))))
    }

    // MARK: Candidates

    private struct Candidates {
        var byMeaning: [QueryHit] = []
        var byWords: [QueryHit] = []
    }

    private func candidates() async throws -> [Recollection] {
        var search = EntrySearch(
            query, matching: filter.entries, limit: max(Self.candidateCount, options.limit))
        var found = Candidates()
        try await add(search, to: &found)
        // In a large memory, messages from the time that the query names may not be among the best of all
        // messages, so they are searched separately.
        if found.byMeaning.count >= search.limit || found.byWords.count >= search.limit {
            for range in times?.ranges.prefix(Self.maximumTimes) ?? [] {
                search.filter.created = filter.entries.created.map { $0.clamped(to: range) } ?? range
                try await add(search, to: &found)
            }
        }
        return merged(found)
    }

    private func add(_ search: EntrySearch, to found: inout Candidates) async throws {
        var search = search
        if options.mode != .text {
            search.mode = .vector
            found.byMeaning += try await store.search(search).hits
        }
        if options.mode != .vector {
            search.mode = .text
            found.byWords += try await store.search(search).hits
        }
    }

    /// Returns one recollection for each message, scored by its cosine and its BM25 score.
    private func merged(_ found: Candidates) -> [Recollection] {
        let hits = found.byMeaning + found.byWords
        let maximumCosine = hits.map(\.score).max() ?? 0
        let maximumTextScore = found.byWords.compactMap(\.textScore).max() ?? 0
        let textScores = Dictionary(
            found.byWords.map { ($0.entry.id, $0.textScore ?? 0) }
        ) { first, _ in first }
        let (cosineShare, textShare): (Float, Float) =
            switch options.mode {
            case .hybrid: (0.5, 0.5)
            case .vector: (1, 0)
            case .text: (0, 1)
            }
        var seen = Set<Entry.ID>()
        return hits.compactMap { hit in
            guard seen.insert(hit.entry.id).inserted, let message = RememberedMessage(hit.entry) else {
                return nil
            }
            let cosine = maximumCosine > 0 ? max(0, hit.score) / maximumCosine : 0
            let text = maximumTextScore > 0 ? (textScores[hit.entry.id] ?? 0) / maximumTextScore : 0
            return Recollection(
                message: message, score: cosineShare * cosine + textShare * text, similarity: hit.score)
        }
    }

    // MARK: Scores

    /// The position of a message: the source id of its scope, and its number in the scope.
    private struct Position: Hashable {
        var source: String
        var number: Int

        init(_ message: RememberedMessage) { (source, number) = (message.scope.source, message.number) }

        func advanced(by distance: Int) -> Position {
            var position = self
            position.number += distance
            return position
        }
    }

    /// Returns the recollections with scores that are adjusted for adjacent messages, the times named in the
    /// query, and the age of the message.
    private func scored(_ candidates: [Recollection]) -> [Recollection] {
        let scores = Dictionary(
            candidates.map { (Position($0.message), $0.score) }
        ) { first, _ in first }
        return candidates.map { candidate in
            var candidate = candidate
            let position = Position(candidate.message)
            let neighbors =
                (scores[position.advanced(by: -1)] ?? 0) + (scores[position.advanced(by: 1)] ?? 0)
            candidate.score += Self.neighborShare * neighbors
            if let times, times.contains(candidate.message.timestamp) { candidate.score += Self.timeBonus }
            guard let recency = options.recency else { return candidate }
            let age = max(0, now.timeIntervalSince(candidate.message.timestamp))
            let freshness = Float(exp2(-age / recency.halfLife))
            candidate.score = (1 - recency.weight) * candidate.score + recency.weight * freshness
            return candidate
        }
    }

    // MARK: Context

    /// Adds the surrounding messages to each recollection. Each message occurs only once in the result.
    private func withContext(_ found: [Recollection]) async throws -> [Recollection] {
        guard options.context > 0, !found.isEmpty else { return found }
        let snapshot = try await store.storage.snapshot()
        var used = Set(found.map { Position($0.message) })
        var found = found
        for index in found.indices {
            let message = found[index].message
            var filter = ConversationMemory.Filter(message.scope).entries
            let key = EntryCondition.Field.metadata(RememberedMessage.Key.number)
            filter.conditions = [
                EntryCondition(key, .isAtLeast("\(message.number - options.context)")),
                EntryCondition(key, .isAtMost("\(message.number + options.context)")),
            ]
            let context = try await RememberedMessage.read(filter, from: snapshot)
                .filter { used.insert(Position($0)).inserted }
            found[index].before = context.filter { $0.number < message.number }
            found[index].after = context.filter { $0.number > message.number }
        }
        return found
    }

    /// Returns the recollections and the messages of their context that fit into the token budget.
    private func fitted(_ found: [Recollection]) -> [Recollection] {
        guard var remaining = options.tokenBudget else { return found }
        var kept: [Recollection] = []
        func fits(_ message: RememberedMessage) -> Bool {
            let count = store.embedder.tokenRanges(in: message.content).count
            guard count <= remaining else { return false }
            remaining -= count
            return true
        }
        for var recollection in found where fits(recollection.message) {
            // Adds the messages of the context in the order of their distance from the recalled message.
            recollection.after = Array(recollection.after.prefix(while: fits))
            recollection.before = Array(recollection.before.reversed().prefix(while: fits).reversed())
            kept.append(recollection)
        }
        return kept
    }
}

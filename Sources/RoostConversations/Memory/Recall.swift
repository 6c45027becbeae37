import Foundation
import Roost
import RoostModel

extension ConversationMemory {
    /// Returns the messages that answer a query best, best first. The result is empty if no message is closer
    /// to the query than unrelated text, unless the options include all messages.
    ///
    /// Messages are ranked like the hits of a search. Shares of the relevance of
    /// the messages before and after a message are added to its relevance, and a bonus if the query names a
    /// date that includes the time of the message. If no message is close to the query, but some are from a
    /// date that it names, as in `what happened on 7 July`, the result is not empty.
    ///
    /// - Parameters:
    ///   - query: The query, usually a question.
    ///   - filter: The messages to search.
    ///   - options: The limits and the scoring options.
    /// - Throws: `RoostError` with `.badInput` for an empty query or options out of range;
    ///   `EmbedderError`; `StorageError`; `CancellationError`.
    public func recall(
        _ query: String, in filter: Filter = .all, _ options: RecallOptions = RecallOptions()
    ) async throws -> [Recollection] {
        try await search(query, in: filter, options).recollections
    }

    /// Returns the messages that answer a query best, with information about the search, such as corrected
    /// words.
    ///
    /// - Throws: The same errors as ``recall(_:in:_:)``.
    @concurrent
    public func search(
        _ query: String, in filter: Filter = .all, _ options: RecallOptions = RecallOptions()
    ) async throws -> RecallResult {
        try await Recall(store: store, query: query, filter: filter, options: options).run()
    }

    /// Returns the messages of a scope that answer a query best, best first.
    ///
    /// - Throws: The same errors as ``recall(_:in:_:)``.
    public func recall(_ query: String, in scope: ChatScope, limit: Int = 10) async throws -> [Recollection] {
        try await recall(query, in: Filter(scope), RecallOptions(limit: limit))
    }
}

/// One search of a memory: finds candidates, scores them, and adds their context.
struct Recall: Sendable {
    private let store: KnowledgeStore
    private let query: String
    private let filter: ConversationMemory.Filter
    private let options: RecallOptions
    /// The dates that the query names, and the calendar in which their days begin.
    private let dates: Set<WrittenDate>
    private let calendar: Calendar

    /// The number of candidates of the search. With fewer candidates, the scores of neighbors of good answers
    /// would be unknown.
    private static let candidateCount = 200
    /// The shares of the relevance of the messages at distances of one and two that are added to the
    /// relevance of a message. An answer often follows a question that contains the words of the query.
    private static let neighborShares: [Float] = [0.2, 0.1]
    /// The bonus for a message from a date that the query names, relative to the best message.
    private static let dateBonus: Float = 0.25
    private static let maximumDates = 3
    /// The maximum number of context messages on each side of a message.
    private static let maximumContext = 1000

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
        (self.store, self.query, self.filter, self.options) = (store, query, filter, options)
        dates = WrittenDate.dates(in: query)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = options.timeZone
        self.calendar = calendar
    }

    private static let nearestCount = 3

    func run() async throws -> RecallResult {
        let found = try await candidates()
        var candidates = ranked(found.candidates)
        if !options.includesAll, found.search.isNoise {
            let nearest = candidates.prefix(Self.nearestCount)
            // A date that the query names is a reason to return the messages from this date, and only those.
            candidates.removeAll { !isNamed($0.message.timestamp) }
            if candidates.isEmpty {
                return RecallResult(recollections: [], nearest: Array(nearest), search: found.search)
            }
        }
        var best = candidates
        if !options.includesAll, options.mode == .hybrid { best.removeAll { $0.score <= 0 } }
        let page = best.dropFirst(options.offset).prefix(options.limit)
        var result = RecallResult(
            recollections: fitted(try await withContext(Array(page))), search: found.search)
        result.count = best.count
        // If messages without relevance were removed, those that were not found have none either.
        result.isCut = found.isCut && best.count == candidates.count
        return result
    }

    /// Returns whether a time is within one of the dates that the query names.
    private func isNamed(_ date: Date) -> Bool { dates.contains { $0.contains(date, in: calendar) } }

    // MARK: Candidates

    private struct Candidate {
        var message: RememberedMessage
        var hit: QueryHit
        /// The square gives the neighbors of a close message more weight than several that are less close.
        var relevance: Float { hit.score * hit.score }

        init?(_ hit: QueryHit) {
            guard let message = RememberedMessage(hit.entry) else { return nil }
            (self.message, self.hit) = (message, hit)
        }
    }

    private struct Candidates {
        var candidates: [Candidate]
        var search: QueryResult
        /// Whether the search found as many messages as it may.
        var isCut: Bool
    }

    private func candidates() async throws -> Candidates {
        let end = options.offset.addingReportingOverflow(options.limit)
        var search = EntrySearch(
            query, matching: filter.entries,
            limit: end.overflow ? .max : max(Self.candidateCount, end.partialValue))
        search.mode = options.mode
        search.includesAll = true
        search.usesExactWords = options.usesExactWords
        // Words of other conversations, which may belong to other users, must not show.
        var visible = filter
        (visible.since, visible.until) = (nil, nil)
        search.visible = visible.entries
        var result = try await store.search(search)
        var hits = result.hits
        let isCut = hits.count >= search.limit
        // In a large memory, messages from the date that the query names may not be among the best of all
        // messages, so they are searched separately.
        let ranges = dates.filter { $0.year != nil }.compactMap { $0.period(in: calendar)?.times }
            .sorted { $0.lowerBound < $1.lowerBound }
        for range in isCut ? ranges.prefix(Self.maximumDates) : [] {
            search.filter.created = filter.entries.created.map { $0.clamped(to: range) } ?? range
            hits += try await store.search(search).hits
        }
        var seen = Set<Entry.ID>()
        let candidates = hits.compactMap { seen.insert($0.id).inserted ? Candidate($0) : nil }
        result.hits = []
        return Candidates(candidates: candidates, search: result, isCut: isCut)
    }

    // MARK: Scores

    private func ranked(_ candidates: [Candidate]) -> [Recollection] {
        let relevance = Dictionary(
            candidates.map { (MessagePosition($0.message), $0.relevance) }
        ) { first, _ in first }
        func neighbors(of position: MessagePosition) -> Float {
            var sum: Float = 0
            for (index, share) in Self.neighborShares.enumerated() {
                for distance in [-1 - index, index + 1] {
                    sum += share * (relevance[position.advanced(by: distance)] ?? 0)
                }
            }
            return sum
        }
        var weights = candidates.map {
            RecallWeight(relevance: $0.relevance, neighbors: neighbors(of: MessagePosition($0.message)))
        }
        let best = max(weights.map(\.sum).max() ?? 0, .leastNormalMagnitude)
        for (index, candidate) in candidates.enumerated() {
            weights[index].scale(by: 1 / best)
            let timestamp = candidate.message.timestamp
            if isNamed(timestamp) { weights[index].time = Self.dateBonus }
        }
        // The best message gets the score of its relevance, and the others get scores in proportion to it.
        let bestScore = min(1, best.squareRoot())
        let maximum = max(weights.map(\.sum).max() ?? 0, .leastNormalMagnitude)
        return zip(candidates, weights).map { candidate, weight in
            let share = (weight.sum / maximum).squareRoot()
            var recollection = Recollection(
                message: candidate.message, score: bestScore * share, hit: candidate.hit)
            recollection.explanation = weight.explanation(of: recollection)
            return recollection
        }.sorted { ($1.score, $0.message.id) < ($0.score, $1.message.id) }
    }

    // MARK: Context

    /// Adds the surrounding messages to each recollection. Each message occurs only once in the result.
    private func withContext(_ found: [Recollection]) async throws -> [Recollection] {
        guard options.context > 0, !found.isEmpty else { return found }
        let reader = RecallContext(snapshot: try await store.storage.snapshot(), distance: options.context)
        let around = try await reader.messages(around: found)
        var used = Set(found.map { MessagePosition($0.message) })
        var found = found
        for index in found.indices {
            let position = MessagePosition(found[index].message)
            func messages(_ distances: ClosedRange<Int>) -> [RememberedMessage] {
                distances.compactMap { distance in
                    let other = position.advanced(by: distance)
                    return around[other].flatMap { used.insert(other).inserted ? $0 : nil }
                }
            }
            found[index].before = messages(-options.context ... -1)
            found[index].after = messages(1...options.context)
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

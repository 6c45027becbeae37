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

    /// The number of candidates of the search. With fewer candidates, the scores of neighbors of good answers
    /// would be unknown; with more, each recall reads more messages for little benefit.
    private static let candidateCount = 100
    /// The weight of words relative to meaning. Messages are short, and questions repeat their words more
    /// often than queries repeat those of a text.
    private static let textWeight: Float = 1.4
    /// The shares of the relevance of the messages at distances of one and two that are added to the
    /// relevance of a message. An answer often follows a question that contains the words of the query.
    private static let neighborShares: [Float] = [0.2, 0.1]
    /// The bonus for a message from a time that the query names, relative to the best message.
    private static let timeBonus: Float = 0.25
    /// The same bonus if the query names only a time. It is greater than the relevance of the best message,
    /// so the messages from the time come first.
    private static let onlyTimeBonus: Float = 2
    /// The maximum number of time ranges named in a query for which additional candidates are searched.
    private static let maximumTimes = 3
    /// The maximum number of context messages on each side of a message.
    private static let maximumContext = 1000

    /// Prepares a recall.
    ///
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
            try require((0...1).contains(recency.weight), "the weight of recency must be from 0 to 1")
            try require(recency.halfLife > 0, "the half-life must be positive")
        }
        (self.store, self.query, self.filter, self.options) = (store, query, filter, options)
        now = options.now ?? Date()
        times = options.readsTimes ? TimesInText(query, now: now, timeZone: options.timeZone) : nil
    }

    /// The number of messages in ``RecallResult/nearest``.
    private static let nearestCount = 3

    func run() async throws -> RecallResult {
        let found = try await candidates()
        // A time that the query names is a reason to return the messages from this time.
        let isTimeKnown = found.candidates.contains { isFromNamedTime($0.message) }
        let namesOnlyTime = isTimeKnown ? try await namesOnlyTime(found.search) : false
        if namesOnlyTime, lacksMessagesOfNamedTimes(found) { return try await listing(of: found.search) }
        var best = ranked(found.candidates, namesOnlyTime: namesOnlyTime)
        // In a search by words, messages from the time may have none of the words.
        let lacksNamedTime = times?.ranges.isEmpty == false && !isTimeKnown && options.mode != .text
        if !options.includesAll {
            if found.search.isNoise, !isTimeKnown {
                let nearest = Array(best.prefix(Self.nearestCount))
                var result = RecallResult(recollections: [], nearest: nearest, search: found.search)
                result.lacksNamedTime = lacksNamedTime
                return result
            }
            if namesOnlyTime {
                best.removeAll { !isFromNamedTime($0.message) }
            } else if options.mode == .hybrid {
                best.removeAll { $0.score <= 0 }
            }
        }
        let page = best.dropFirst(options.offset).prefix(options.limit)
        var result = RecallResult(
            recollections: fitted(try await withContext(Array(page))), search: found.search)
        result.count = best.count
        // If messages without relevance were removed, those that were not found have none either.
        result.isCut =
            namesOnlyTime ? found.isTimeCut : found.isCut && best.count == found.candidates.count
        result.lacksNamedTime = lacksNamedTime
        return result
    }

    // MARK: Times

    private func isFromNamedTime(_ message: RememberedMessage) -> Bool {
        times?.contains(message.timestamp) ?? false
    }

    /// Returns whether the query asks for the messages of a time, and no message is close to the rest of the
    /// query.
    ///
    /// The whole query can be close to messages that contain the words of the time, such as `November`, so
    /// the rest is searched separately.
    private func namesOnlyTime(_ whole: QueryResult) async throws -> Bool {
        guard let times else { return false }
        if whole.isNoise || times.haveNoSubject { return true }
        var rest = search(times.otherWords.joined(separator: " "), limit: 1)
        rest.includesAll = false
        return try await store.search(rest).isNoise
    }

    /// Returns whether there can be messages from the times that the query names, and nothing else, that are
    /// not among the candidates, so that these cannot be put in the order of their times.
    private func lacksMessagesOfNamedTimes(_ found: Candidates) -> Bool {
        guard let times, isChronological, !options.includesAll, options.mode != .text,
            found.search.text?.isSelective != true
        else { return false }
        let areAllSearched = times.haveRanges && times.ranges.count <= Self.maximumTimes
        return found.isTimeCut || (found.isCut && !areAllSearched)
    }

    /// Whether messages from a time are in its order if the query names nothing else.
    private var isChronological: Bool { options.recency == nil }

    /// Returns the messages from the times that the query names, oldest first.
    ///
    /// - Complexity: O(number of messages that match the filter and are from the times); from any time, if
    ///   the query names a day or month without a year.
    private func listing(of search: QueryResult) async throws -> RecallResult {
        var filter = filter.entries
        if let times, times.haveRanges {
            let ranges = times.ranges
            let start = ranges.map(\.lowerBound).min() ?? .distantPast
            let whole = start..<max(start, ranges.map(\.upperBound).max() ?? start)
            filter.created = filter.created.map { $0.clamped(to: whole) } ?? whole
        }
        var headers: [EntryHeader] = []
        let snapshot = try await store.storage.snapshot()
        for try await page in snapshot.headerPages(matching: filter) {
            headers += page.headers.filter { times?.contains($0.createdAt) ?? false }
        }
        // Messages with the same time keep the order in which they were stored.
        let sorted = headers.enumerated().sorted {
            ($0.element.createdAt, $0.offset) < ($1.element.createdAt, $1.offset)
        }
        let ids = sorted.dropFirst(options.offset).prefix(options.limit).map(\.element.id)
        var page = self.search(query, limit: max(1, ids.count))
        page.filter.ids = Set(ids)
        // The search does not find empty messages.
        let found = ids.isEmpty ? [] : try await store.search(page).hits
        let hits = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
        let candidates = try await snapshot.entries(ids).compactMap {
            Candidate(hits[$0.id] ?? QueryHit(entry: $0))
        }
        var result = RecallResult(
            recollections: fitted(try await withContext(ranked(candidates, namesOnlyTime: true))),
            search: search)
        result.count = headers.count
        return result
    }

    // MARK: Candidates

    /// A message that the search found.
    private struct Candidate {
        var message: RememberedMessage
        var hit: QueryHit
        /// The relevance, from 0 to 1; proportional to the evidence.
        var relevance: Float { hit.relativeEvidence }

        /// Returns `nil` if the entry is not a message.
        init?(_ hit: QueryHit) {
            guard let message = RememberedMessage(hit.entry) else { return nil }
            (self.message, self.hit) = (message, hit)
        }
    }

    /// Returns the search for a text.
    private func search(_ text: String, limit: Int) -> EntrySearch {
        var search = EntrySearch(text, matching: filter.entries, limit: limit)
        search.mode = options.mode
        search.textWeight = Self.textWeight
        search.includesAll = true
        search.usesExactWords = options.usesExactWords
        // Words of other conversations, which may belong to other users, must not show.
        var visible = filter
        (visible.since, visible.until) = (nil, nil)
        search.visible = visible.entries
        search.countsOnlyVisible = options.countsOnlyVisible
        return search
    }

    /// The messages that may be recalled.
    private struct Candidates {
        var candidates: [Candidate]
        /// The result of the search without its hits.
        var search: QueryResult
        /// Whether the search found as many messages as its limit permits.
        var isCut: Bool
        /// The same for the messages from the times that the query names.
        var isTimeCut = false
    }

    private func candidates() async throws -> Candidates {
        let limit = max(Self.candidateCount, options.limit, options.candidates ?? 0)
        var search = search(query, limit: limit)
        var result = try await store.search(search)
        var hits = result.hits
        let isCut = hits.count >= search.limit
        var isTimeCut = false
        // In a large memory, messages from the time that the query names may not be among the best of all
        // messages, so they are searched separately.
        if isCut {
            for range in times?.ranges.prefix(Self.maximumTimes) ?? [] {
                search.filter.created = filter.entries.created.map { $0.clamped(to: range) } ?? range
                let found = try await store.search(search).hits
                isTimeCut = isTimeCut || found.count >= search.limit
                hits += found
            }
        }
        var seen = Set<Entry.ID>()
        let candidates = hits.compactMap { hit -> Candidate? in
            seen.insert(hit.entry.id).inserted ? Candidate(hit) : nil
        }
        result.hits = []
        return Candidates(
            candidates: candidates, search: result, isCut: isCut, isTimeCut: isTimeCut)
    }

    // MARK: Scores

    /// Returns the recollections, best first. Their relevance is adjusted for adjacent messages, the times
    /// named in the query, and the age of the message. If the query names only a time, the messages from it
    /// have the same score, and are in the order of their times.
    private func ranked(_ candidates: [Candidate], namesOnlyTime: Bool) -> [Recollection] {
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
            if isFromNamedTime(candidate.message) {
                weights[index].time = namesOnlyTime ? Self.onlyTimeBonus : Self.timeBonus
            }
            guard let recency = options.recency else { continue }
            let age = max(0, now.timeIntervalSince(timestamp))
            weights[index].scale(by: 1 - recency.weight)
            weights[index].recency = recency.weight * Float(exp2(-age / recency.halfLife))
        }
        // The best message gets the score of its relevance, and the others get scores in proportion to it. A
        // message from the time is all that a query without another subject asks for.
        let bestScore = namesOnlyTime ? 1 : QueryHit.score(ofRelativeEvidence: best)
        let maximum = max(weights.map(\.sum).max() ?? 0, .leastNormalMagnitude)
        let isListing = namesOnlyTime && isChronological
        return zip(candidates, weights).map { candidate, weight in
            let isListed = isListing && isFromNamedTime(candidate.message)
            let share = isListed ? 1 : QueryHit.score(ofRelativeEvidence: weight.sum / maximum)
            var recollection = Recollection(
                message: candidate.message, score: bestScore * share, hit: candidate.hit)
            recollection.explanation = weight.explanation(of: recollection)
            return recollection
        }.sorted { first, second in
            guard first.score == second.score else { return first.score > second.score }
            if isListing, first.message.timestamp != second.message.timestamp {
                return first.message.timestamp < second.message.timestamp
            }
            if isListing, first.hit.row != second.hit.row { return first.hit.row ?? 0 < second.hit.row ?? 0 }
            return first.message.id < second.message.id
        }
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

public import Foundation
import RoostConversations
import RoostModel

/// How to recall.
public struct RecallOptions: Sendable, Hashable {
    /// How much it counts how long ago something was said.
    public struct Recency: Sendable, Hashable {
        /// From 0 to 1: the share of the score.
        public var weight: Float
        /// After so many seconds it counts half.
        public var halfLife: TimeInterval

        public init(weight: Float = 0.25, halfLife: TimeInterval = 7 * 86_400) {
            (self.weight, self.halfLife) = (weight, halfLife)
        }
    }

    /// The most messages, without those around them.
    public var limit = 10
    /// How many messages before and after each are given with it.
    public var context = 1
    /// The most tokens of all that is given, by the model's count; `nil` for no limit. The best messages come
    /// first, each followed by what is around it.
    public var tokenBudget: Int?
    public var mode = SearchMode.hybrid
    /// `nil`: not at all.
    public var recency: Recency?
    /// Whether messages of a time that the query names (`on 7 July`, `in May 2023`, `yesterday`, in English)
    /// come before equal ones of other times.
    public var readsTimes = true
    /// What counts as now; `nil` takes the present.
    public var now: Date?
    /// Where days begin and end.
    public var timeZone = TimeZone.current

    public init(limit: Int = 10, context: Int = 1, tokenBudget: Int? = nil) {
        (self.limit, self.context, self.tokenBudget) = (limit, context, tokenBudget)
    }
}

/// A message that was recalled, with those around it.
public struct Recollection: Sendable, Hashable, Encodable {
    public var message: RememberedMessage
    /// From 0 to about 1, for comparing within one answer.
    public var score: Float
    /// The cosine of the query with the message.
    public var similarity: Float
    /// What was said in the scope before and after, oldest first; what is a recollection of its own, or
    /// stands beside a better one, is left out.
    public var before: [RememberedMessage] = []
    public var after: [RememberedMessage] = []
}

extension ConversationMemory {
    /// So many of the nearest and of the best by words are looked at.
    private static let depth = 200
    /// How much of a neighbour's score a message has: what answers a question often stands beside the words
    /// of it.
    private static let neighbourShare: Float = 0.1
    /// What a message of a time that the query names has beside its score.
    private static let timeShare: Float = 0.25

    /// The messages that answer a query best.
    ///
    /// A message's score is half its cosine, as a share of the highest, and half its BM25 score, as a share
    /// of the highest, and a tenth of the scores of the messages beside it in its scope. (Ranks fused by
    /// their places lose how far apart they are, which tells much in short texts.) One of a time that the
    /// query names has a quarter more.
    /// - Returns: best first; none for a memory without messages.
    /// - Throws: ``RoostError`` with `.badInput` for an empty query or options out of range;
    ///   ``EmbedderError``; ``StorageError``.
    public func recall(
        _ query: String, in filter: Filter = .all, _ options: RecallOptions = RecallOptions()
    ) async throws -> [Recollection] {
        guard options.limit > 0, (0...1000).contains(options.context),
            options.tokenBudget.map({ $0 > 0 }) ?? true,
            options.recency.map({ (0...1).contains($0.weight) && $0.halfLife > 0 }) ?? true
        else {
            throw RoostError(.badInput, "a limit, a budget or a weight of what to recall is out of range")
        }
        let now = options.now ?? Date()
        let times = options.readsTimes ? TimesInText(query, now: now, timeZone: options.timeZone) : nil
        var found = try await candidates(query, filter, options, times)
        let scores = Dictionary(found.map { (Place($0.message), $0.score) }) { first, _ in first }
        for index in found.indices {
            let place = Place(found[index].message)
            let beside = (scores[place.next(-1)] ?? 0) + (scores[place.next(1)] ?? 0)
            found[index].score += Self.neighbourShare * beside
            if let times, times.contains(found[index].message.timestamp) {
                found[index].score += Self.timeShare
            }
            guard let recency = options.recency else { continue }
            let age = max(0, now.timeIntervalSince(found[index].message.timestamp))
            let freshness = Float(exp2(-age / recency.halfLife))
            found[index].score = (1 - recency.weight) * found[index].score + recency.weight * freshness
        }
        found.sort { ($1.score, $0.message.id.uuidString) < ($0.score, $1.message.id.uuidString) }
        let best = Array(found.prefix(options.limit))
        return try await fitted(try await withContext(best, options.context), options.tokenBudget)
    }

    /// The messages of a scope that answer a query best.
    ///
    /// - Throws: as ``recall(_:in:_:)``.
    public func recall(
        _ query: String, in scope: ChatScope, limit: Int = 10
    ) async throws -> [Recollection] {
        try await recall(query, in: Filter(scope), RecallOptions(limit: limit))
    }

    /// A message's place in its scope.
    private struct Place: Hashable {
        var source: String
        var number: Int

        init(_ message: RememberedMessage) { (source, number) = (message.scope.source, message.number) }

        func next(_ step: Int) -> Place {
            var place = self
            place.number += step
            return place
        }
    }

    private func candidates(
        _ query: String, _ filter: Filter, _ options: RecallOptions, _ times: TimesInText?
    ) async throws -> [Recollection] {
        var search = QueryOptions(limit: max(Self.depth, options.limit), filter: filter.entries)
        var (near, worded): ([QueryHit], [QueryHit]) = ([], [])
        if options.mode != .text {
            search.mode = .vector
            near = try await store.query(query, search).hits
        }
        if options.mode != .vector {
            search.mode = .text
            worded = try await store.query(query, search).hits
        }
        // Of a long memory what was said at the time that is meant may not be among the nearest of all.
        if near.count >= search.limit || worded.count >= search.limit {
            for range in times?.ranges.prefix(3) ?? [] {
                search.filter.created = search.filter.created.map { $0.clamped(to: range) } ?? range
                for mode in options.mode == .hybrid ? [.vector, .text] : [options.mode] {
                    search.mode = mode
                    let hits = try await store.query(query, search).hits
                    if mode == .text { worded += hits } else { near += hits }
                }
                search.filter.created = filter.entries.created
            }
        }
        let nearest = (near + worded).map(\.score).max() ?? 0
        let best = worded.compactMap(\.textScore).max() ?? 0
        let words = Dictionary(worded.map { ($0.entry.id, $0.textScore ?? 0) }) { first, _ in first }
        let share: (vector: Float, text: Float) =
            switch options.mode {
            case .hybrid: (0.5, 0.5)
            case .vector: (1, 0)
            case .text: (0, 1)
            }
        var seen = Set<Entry.ID>()
        return (near + worded).compactMap { hit in
            guard seen.insert(hit.entry.id).inserted, let message = RememberedMessage(hit.entry) else {
                return nil
            }
            let cosine = nearest > 0 ? max(0, hit.score) / nearest : 0
            let text = best > 0 ? (words[hit.entry.id] ?? 0) / best : 0
            return Recollection(
                message: message, score: share.vector * cosine + share.text * text, similarity: hit.score)
        }
    }

    private func withContext(_ found: [Recollection], _ count: Int) async throws -> [Recollection] {
        guard count > 0, !found.isEmpty else { return found }
        let snapshot = try await store.storage.snapshot()
        // Each message is given once.
        var given = Set(found.map { Place($0.message) })
        var found = found
        for index in found.indices {
            let message = found[index].message
            var filter = Filter(message.scope).entries
            let key = EntryCondition.Field.metadata(RememberedMessage.Key.number)
            filter.conditions = [
                EntryCondition(key, .isAtLeast("\(message.number - count)")),
                EntryCondition(key, .isAtMost("\(message.number + count)")),
            ]
            let around = try await Self.messages(filter, snapshot).filter { given.insert(Place($0)).inserted }
            found[index].before = around.filter { $0.number < message.number }
            found[index].after = around.filter { $0.number > message.number }
        }
        return found
    }

    /// As much as the budget has room for.
    private func fitted(_ found: [Recollection], _ budget: Int?) async throws -> [Recollection] {
        guard var left = budget else { return found }
        var kept: [Recollection] = []
        func takes(_ message: RememberedMessage) -> Bool {
            let count = store.embedder.tokenRanges(in: message.content).count
            guard count <= left else { return false }
            left -= count
            return true
        }
        for var recollection in found where takes(recollection.message) {
            // What is nearest is taken first.
            recollection.after = Array(recollection.after.prefix(while: takes))
            recollection.before = Array(recollection.before.reversed().prefix(while: takes).reversed())
            kept.append(recollection)
        }
        return kept
    }
}

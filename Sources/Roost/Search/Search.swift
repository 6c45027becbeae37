import Foundation
import RoostModel
import RoostText
import RoostVectors

/// One search over one state of what is derived from a store.
struct Search {
    /// The derived says what the storage does not: something was committed in between, or an index is not of
    /// this store.
    struct Contradiction: Error {
        /// Whether it was about words, not vectors.
        var isOfWords: Bool
    }

    /// An entry that one of the lists has, or both.
    private struct Candidate {
        var id: Entry.ID
        var fused: Float = 0
        var vectorRank: Int?
        /// The passage that was found, and its score.
        var passage: (ordinal: Int, score: Float)?
        var textRank: Int?
        var textScore: Float?
    }

    let vector: [Float]
    /// `nil` where words do not count.
    let text: TextQuery?
    let options: QueryOptions
    let passages: PassageContents
    let words: TextContents?
    let snapshot: any StorageSnapshot
    /// The rows of the entries that meet the filter; `nil` for all.
    let filtered: RowSet?
    /// Entries that are no hits, whatever finds them.
    var excluded: Set<Entry.ID> = []
    /// What was found nearest already, at ``firstDepth``, by the filter alone.
    var nearest: [PassageContents.Hit]?

    /// From the paper: it makes the first few places of a list count nearly alike.
    private static let fusionConstant: Float = 60

    /// How many hits are needed, with those that are passed over.
    private var needed: Int {
        let end = max(0, options.limit).addingReportingOverflow(max(0, options.offset))
        let total = snapshot.stamp.entryCount
        return end.overflow ? total : min(total, end.partialValue)
    }

    /// How many of each list are looked at first.
    ///
    /// Where lists are fused, or hits weighed against each other, it does not depend on how many are wanted:
    /// page by page, the same are found in the same order.
    var firstDepth: Int {
        guard text == nil, options.diversity == nil else { return Self.stage }
        // A few more than are wanted: where rows lie decides over the last bits of their scores, which must
        // not decide over the answer.
        let wanted = needed + min(needed, 4)
        return wanted + excluded.count
    }

    private static let stage = 200

    func run() async throws -> QueryResult {
        var rows = filtered
        if let text, let words, let allowed = try await words.allowed(by: text) {
            // What the words know may be newer or older than the snapshot; a row that is not there is no hit.
            rows?.formIntersection(allowed)
            rows = rows ?? allowed
        }
        let total = snapshot.stamp.entryCount
        var hits: [QueryHit] = []
        if needed > 0, rows?.isEmpty != true { hits = try await find(among: rows) }
        for place in hits.indices { hits[place].rank = place + 1 }
        var result = QueryResult(
            hits: Array(hits.prefix(needed).dropFirst(max(0, options.offset))), stamp: snapshot.stamp,
            candidateCount: rows?.count ?? max(0, total - excluded.count))
        result.notices = [passages.notice, words?.notice].compactMap(\.self)
        if result.notices.count == 2, result.notices[0] == result.notices[1] { result.notices.removeLast() }
        if passages.incomparable > 0 {
            result.notices.append(
                "\(passages.incomparable) passages have vectors with numbers that are not finite, which "
                    + "nothing can be compared with; `roost doctor` names them")
        }
        if let text, text.omittedWords > 0 {
            result.notices.append(
                "the query has more than \(TextQuery.longest) different words; the last "
                    + "\(text.omittedWords) do not count as words")
        }
        result.text = text
        return result
    }

    /// Hits best first, as many as are needed where there are.
    ///
    /// In stages: the best of each list, then those that longer lists have besides, and so on. What a later
    /// stage finds comes after what an earlier one found.
    private func find(among rows: RowSet?) async throws -> [QueryHit] {
        var (hits, chosen): ([QueryHit], [QueryHit]) = ([], [])
        let diversity = options.diversity ?? 0
        var seen = excluded
        var depth = firstDepth
        let most = snapshot.stamp.entryCount + excluded.count
        while true {
            try Task.checkCancellation()
            let (candidates, isAll) = try await candidates(depth, among: rows)
            let new = candidates.filter { seen.insert($0.id).inserted }
            if diversity > 0 {
                // What is weighed against each other is a whole stage.
                try await take(new[...], into: &hits, after: &chosen)
                let best = try Self.diversified(hits, diversity, after: chosen, count: needed - chosen.count)
                let taken = Set(best.map(\.entry.id))
                chosen += best
                hits.removeAll { taken.contains($0.entry.id) }
            } else {
                var next = 0
                while next < new.count, hits.count < needed {
                    let chunk = new[next..<min(new.count, next + needed + min(needed, 4))]
                    next = chunk.endIndex
                    try await take(chunk, into: &hits, after: &chosen)
                }
            }
            let isEnough = diversity > 0 ? chosen.count >= needed : hits.count >= needed
            if isEnough || isAll || isBelowMinimum(candidates) || depth >= most {
                return diversity > 0 ? chosen : hits
            }
            depth = min(depth * 4, most)
        }
    }

    /// Whether the nearest vectors that are left have a lower cosine than is wanted.
    private func isBelowMinimum(_ candidates: [Candidate]) -> Bool {
        guard let minimum = options.minimumScore, options.mode != .text || text == nil else { return false }
        let scores = candidates.lazy.compactMap { $0.passage?.score }
        return scores.min().map { $0 < minimum - Self.tolerance } ?? true
    }

    private static let tolerance: Float = 1e-3

    /// The best of each list, best first.
    ///
    /// - Returns: also whether there are no others.
    private func candidates(_ depth: Int, among rows: RowSet?) async throws -> ([Candidate], isAll: Bool) {
        var found: [Entry.ID: Candidate] = [:]
        var isAll = true
        if options.mode != .text || text == nil {
            let hits = try await nearest(depth, among: rows)
            isAll = hits.count < depth
            for (place, hit) in hits.enumerated() {
                var candidate = Candidate(id: hit.entry, vectorRank: place + 1)
                candidate.passage = (hit.ordinal, hit.score)
                candidate.fused = options.vectorWeight / (Self.fusionConstant + Float(place + 1))
                found[hit.entry] = candidate
            }
        }
        if let text, let words {
            let hits = try await words.search(text, k: depth, among: rows)
            isAll = isAll && hits.count < depth
            for (place, hit) in hits.enumerated() {
                var candidate = found[hit.entry] ?? Candidate(id: hit.entry)
                candidate.textRank = place + 1
                candidate.textScore = hit.score
                candidate.fused += options.textWeight / (Self.fusionConstant + Float(place + 1))
                found[hit.entry] = candidate
            }
        }
        let ordered = found.values.sorted { first, second in
            if text == nil, let a = first.passage?.score, let b = second.passage?.score, a != b {
                return a > b
            }
            return (second.fused, first.id) < (first.fused, second.id)
        }
        return (ordered, isAll)
    }

    private func nearest(_ depth: Int, among rows: RowSet?) async throws -> [PassageContents.Hit] {
        if let nearest, depth == firstDepth, text?.isSelective != true { return nearest }
        let query = Matrix([vector], columns: vector.count)
        return try await passages.search(query, k: depth, among: rows, isExact: options.isExact)[0]
    }

    /// Adds the hits of some candidates, in their order; those that are nearly the same as a better one to
    /// it.
    ///
    /// - Parameter before: hits that stand before these.
    private func take(
        _ candidates: ArraySlice<Candidate>, into hits: inout [QueryHit], after before: inout [QueryHit]
    ) async throws {
        let minimum = options.minimumScore ?? -.infinity
        let possible = candidates.filter { $0.passage.map { $0.score >= minimum - Self.tolerance } ?? true }
        for hit in try await resolve(possible[...]) where hit.score >= minimum {
            try Task.checkCancellation()
            guard let threshold = options.duplicateThreshold else {
                hits.append(hit)
                continue
            }
            func place(_ hits: [QueryHit]) -> Int? {
                hits.firstIndex { Self.areNearlyEqual($0.entry, hit.entry, threshold) }
            }
            if let better = place(before) {
                before[better].duplicates.append(hit.entry.id)
            } else if let better = place(hits) {
                hits[better].duplicates.append(hit.entry.id)
            } else {
                hits.append(hit)
            }
        }
        if text == nil {
            // The index finds; what is said is of the storage.
            hits.sort { ($1.score, $0.entry.id) < ($0.score, $1.entry.id) }
        }
    }

    private static func areNearlyEqual(_ first: Entry, _ second: Entry, _ threshold: Float) -> Bool {
        guard !first.embeddings.isEmpty, first.embeddings.count == second.embeddings.count else {
            return first.content.utf8.elementsEqual(second.content.utf8)
        }
        return innerProduct(first.embeddings, second.embeddings) >= threshold
    }

    /// The entries of some candidates, in their order.
    ///
    /// - Throws: ``Contradiction``.
    private func resolve(_ candidates: ArraySlice<Candidate>) async throws -> [QueryHit] {
        let entries = try await snapshot.entries(candidates.map(\.id))
        let byID = Dictionary(entries.map { ($0.id, $0) }) { first, _ in first }
        try await check(candidates, byID)
        return candidates.compactMap { candidate in
            byID[candidate.id].map { entry in
                var hit = Self.hit(entry, vector)
                hit.fused = candidate.fused
                hit.vectorRank = candidate.vectorRank
                hit.textRank = candidate.textRank
                hit.textScore = candidate.textScore
                return hit
            }
        }
    }

    /// An entry with the passage of it that is nearest to a vector; of equally near ones the first.
    static func hit(_ entry: Entry, _ vector: [Float]) -> QueryHit {
        var best: QueryHit?
        for passage in entry.searchablePassages where passage.vector.count == vector.count {
            let score = innerProduct(passage.vector, vector)
            guard score.isFinite else { continue }
            if best.map({ score > $0.score }) ?? true {
                best = QueryHit(entry: entry, score: score, passage: passage)
            }
        }
        let whole = Passage(ordinal: 0, utf8Range: 0..<entry.content.utf8.count, vector: [])
        return best ?? QueryHit(entry: entry, score: 0, passage: entry.passages.first ?? whole)
    }
}

extension Search {
    /// Whether something was found that the storage does not have, or has otherwise, though it has not been
    /// changed since.
    private func check(_ candidates: ArraySlice<Candidate>, _ entries: [Entry.ID: Entry]) async throws {
        let norm = length(of: vector)
        var (ofVectors, ofWords) = ([Entry.ID](), [Entry.ID]())
        for candidate in candidates {
            let entry = entries[candidate.id]
            if let (ordinal, score) = candidate.passage {
                let found = entry?.searchablePassages.first {
                    $0.ordinal == ordinal && $0.vector.count == vector.count
                }?.vector
                // Sums differ by rounding, in proportion to what is summed up.
                let tolerance = 1e-3 * norm * length(of: found ?? []) + 1e-6
                let isSame = found.map { abs(innerProduct($0, vector) - score) <= tolerance } ?? false
                if !isSame { ofVectors.append(candidate.id) }
            }
            if candidate.textScore != nil, let text {
                if entry.map({ !text.occurs(in: $0.content) }) ?? true { ofWords.append(candidate.id) }
            }
        }
        guard !ofVectors.isEmpty || !ofWords.isEmpty else { return }
        let revisions = try await snapshot.revisions(of: ofVectors + ofWords)
        func isKnown(_ id: Entry.ID, at revision: Revision) -> Bool {
            revisions[id].map { $0 <= revision } ?? true
        }
        if ofVectors.contains(where: { isKnown($0, at: passages.revision) }) {
            throw Contradiction(isOfWords: false)
        }
        if let words, ofWords.contains(where: { isKnown($0, at: words.revision) }) {
            throw Contradiction(isOfWords: true)
        }
    }

    /// Maximal marginal relevance: the next hit is the one with the most of what is asked and the least of
    /// what is there already.
    ///
    /// - Complexity: O(count · hits · d).
    private static func diversified(
        _ hits: [QueryHit], _ diversity: Float, after before: [QueryHit], count: Int
    ) throws -> [QueryHit] {
        guard !hits.isEmpty else { return [] }
        // Fused ranks are brought to the scale of cosines, with which they are weighed.
        let isFused = hits.contains { $0.textRank != nil }
        let most = max(hits.map(\.fused).max() ?? 0, .leastNormalMagnitude)
        let scale = isFused ? max(0, hits.map(\.score).max() ?? 0) / most : 1
        func cosine(_ first: QueryHit, _ second: QueryHit) -> Float {
            let (a, b) = (first.passage.vector, second.passage.vector)
            return a.count == b.count ? innerProduct(a, b) : 0
        }
        var rest = hits.map { hit in
            let likeness = before.map { cosine($0, hit) }.max() ?? 0
            return (hit: hit, relevance: isFused ? hit.fused * scale : hit.score, likeness: likeness)
        }
        var chosen: [QueryHit] = []
        while chosen.count < count, !rest.isEmpty {
            try Task.checkCancellation()
            func value(_ index: Int) -> Float {
                (1 - diversity) * rest[index].relevance - diversity * rest[index].likeness
            }
            let best = rest.indices.max { (value($0), $1) < (value($1), $0) } ?? 0
            let hit = rest.remove(at: best).hit
            chosen.append(hit)
            for index in rest.indices {
                rest[index].likeness = max(rest[index].likeness, cosine(rest[index].hit, hit))
            }
        }
        return chosen
    }
}

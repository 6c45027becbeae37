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
        var vectorScore: Float?
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
    var firstDepth: Int {
        // A few more than are wanted: where rows lie decides over the last bits of their scores, which must
        // not
        // decide over the answer.
        text == nil && options.diversity == nil ? needed + min(needed, 4) : max(100, needed * 4)
    }

    func run() async throws -> QueryResult {
        var rows = filtered
        if let text, let words, let allowed = await words.allowed(by: text) {
            // What the words know may be newer or older than the snapshot; a row that is not there is no hit.
            rows?.formIntersection(allowed)
            rows = rows ?? allowed
        }
        let total = snapshot.stamp.entryCount
        let offset = max(0, options.offset)
        let needed = needed
        var hits: [QueryHit] = []
        var depth = firstDepth
        while needed > 0, rows?.isEmpty != true {
            let (candidates, isAll) = try await candidates(depth, among: rows)
            hits = try await select(needed, of: candidates)
            if hits.count >= needed || isAll || depth >= total { break }
            if let minimum = options.minimumScore, text == nil,
                candidates.last?.vectorScore ?? -.infinity < minimum
            {
                break
            }
            depth = min(depth * 4, max(total, 1))
        }
        for place in hits.indices { hits[place].rank = place + 1 }
        var result = QueryResult(
            hits: Array(hits.prefix(needed).dropFirst(offset)), stamp: snapshot.stamp,
            candidateCount: rows?.count ?? total)
        result.notices = [passages.notice, words?.notice].compactMap(\.self)
        if result.notices.count == 2, result.notices[0] == result.notices[1] { result.notices.removeLast() }
        result.text = text
        return result
    }

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
                var candidate = Candidate(id: hit.entry, vectorRank: place + 1, vectorScore: hit.score)
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
            if text == nil, first.vectorScore != second.vectorScore {
                return first.vectorScore ?? 0 > second.vectorScore ?? 0
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

    /// The hits of some candidates, in order, as many as are needed where there are.
    private func select(_ needed: Int, of candidates: [Candidate]) async throws -> [QueryHit] {
        var (hits, folded) = ([QueryHit](), [QueryHit]())
        let diversity = options.diversity ?? 0
        let wanted = diversity > 0 ? max(50, needed * 4) : needed
        var next = 0
        while next < candidates.count, folded.count < wanted {
            let chunk = candidates[next..<min(candidates.count, next + wanted + min(wanted, 4))]
            next = chunk.endIndex
            hits += try await resolve(chunk).filter { $0.score >= options.minimumScore ?? -.infinity }
            if text == nil {
                // The index finds; what is said is of the storage.
                hits.sort { ($1.score, $0.entry.id) < ($0.score, $1.entry.id) }
            }
            folded = options.duplicateThreshold.map { Self.folding(hits, $0) } ?? hits
        }
        guard diversity > 0 else { return Array(folded.prefix(needed)) }
        return Self.diversified(folded, diversity, count: needed)
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
            if let score = candidate.vectorScore {
                let hit = entry.map { Self.hit($0, vector) }
                // Sums differ by rounding, in proportion to what is summed up.
                let tolerance = 1e-3 * norm * length(of: hit?.passage.vector ?? []) + 1e-6
                if hit.map({ abs($0.score - score) > tolerance }) ?? true { ofVectors.append(candidate.id) }
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

    /// Hits without those that are nearly the same as a better one, which names them.
    private static func folding(_ hits: [QueryHit], _ threshold: Float) -> [QueryHit] {
        var kept: [QueryHit] = []
        for hit in hits {
            let better = kept.firstIndex { other in
                guard !hit.entry.embeddings.isEmpty else { return other.entry.content == hit.entry.content }
                return other.entry.embeddings.count == hit.entry.embeddings.count
                    && innerProduct(other.entry.embeddings, hit.entry.embeddings) >= threshold
            }
            if let better { kept[better].duplicates.append(hit.entry.id) } else { kept.append(hit) }
        }
        return kept
    }

    /// Maximal marginal relevance: the next hit is the one with the most of what is asked and the least of
    /// what
    /// is there already.
    ///
    /// - Complexity: O(count · hits · d).
    private static func diversified(_ hits: [QueryHit], _ diversity: Float, count: Int) -> [QueryHit] {
        guard let first = hits.first else { return [] }
        // Fused ranks are brought to the scale of cosines, with which they are weighed.
        let isFused = hits.contains { $0.textRank != nil }
        let scale =
            isFused ? max(0, hits.map(\.score).max() ?? 0) / max(first.fused, .leastNonzeroMagnitude) : 1
        var rest = hits.map {
            (hit: $0, relevance: isFused ? $0.fused * scale : $0.score, likeness: -Float.infinity)
        }
        var chosen: [QueryHit] = []
        while chosen.count < count, !rest.isEmpty {
            let best = rest.indices.max { left, right in
                func value(_ index: Int) -> Float {
                    let likeness = chosen.isEmpty ? 0 : rest[index].likeness
                    return (1 - diversity) * rest[index].relevance - diversity * likeness
                }
                return (value(left), right) < (value(right), left)
            }
            let hit = rest.remove(at: best ?? 0).hit
            chosen.append(hit)
            for index in rest.indices {
                let other = rest[index].hit.passage.vector
                let cosine =
                    other.count == hit.passage.vector.count ? innerProduct(other, hit.passage.vector) : 0
                rest[index].likeness = max(rest[index].likeness, cosine)
            }
        }
        return chosen
    }
}

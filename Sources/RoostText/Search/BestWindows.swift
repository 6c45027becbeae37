/// The step that finds the best window of each long document of a part: the run of ``TextScoring/window``
/// adjacent words of its body in which the words of a query score highest.
///
/// A long text has many subjects. Its length says little about the part that answers a query, so it is scored
/// like this part, as if the part were a text of its own.
struct BestWindows {
    /// The best window of a document.
    struct Window: Sendable {
        var score: Float
        /// The frequency of each clause in the body, adjusted for the length; for a pair of words, its number
        /// of occurrences.
        var frequencies: [Float]
    }

    /// A clause in one document.
    private struct Count {
        /// The number of occurrences in the current window.
        var occurrences: UInt32 = 0
        /// The frequency in the body that does not depend on the window: that of a prefix, whose occurrences
        /// have no positions.
        var constant: Float = 0
        /// The frequency that the other fields add.
        var fields: Float = 0
        /// The current contribution to the score.
        var share: Float = 0
    }

    /// An occurrence of a clause.
    private struct Event {
        var position: UInt32
        var clause: Int
    }

    /// The maximum number of documents whose windows are compared for one query, which bounds the time in
    /// stores of long texts. They are those with the highest scores that their words can have in a window.
    private static let maximumDocuments = 1000

    private let clauses: [TextScores.WeightedClause]
    /// The factor that adjusts frequencies for the length of a window.
    private let unit: Float

    init(_ clauses: [TextScores.WeightedClause], meanLength: Float) {
        self.clauses = clauses
        unit = 1 / TextScoring.norm(Float(TextScoring.window), meanLength)
    }

    /// Returns the best windows of long documents whose scores exceed those of the whole documents.
    ///
    /// - Parameters:
    ///   - number: The number of the part.
    ///   - scores: The scores of the whole documents.
    ///   - bounds: Returns the scores of the documents if all of them had at most the length of a window.
    /// - Complexity: O(documents + postings of the words); for the occurrences in long documents, up to
    ///   O(occurrences · log(occurrences)).
    func find(
        in part: TextPart, number: Int, scores: [Float], bounds: () -> [Float]
    ) -> [Int: Window] {
        guard part.index.usesWindows else { return [:] }
        let documents = part.index.reading {
            selected(scores.indices.filter { scores[$0] > 0 && part.isLong($0) }, bounds)
        }
        guard !documents.isEmpty else { return [:] }
        var counts = documents.map { _ in [Count](repeating: Count(), count: clauses.count) }
        var events = documents.map { _ in [Event]() }
        part.index.reading {
            for (index, clause) in clauses.enumerated() {
                collect(clause, index, number, part, documents, &counts, &events)
            }
        }
        var windows: [Int: Window] = [:]
        for (index, document) in documents.enumerated() {
            let window = best(&counts[index], &events[index])
            if window.score > scores[document] { windows[document] = window }
        }
        return windows
    }

    /// Returns the documents to compare, in ascending order.
    private func selected(_ documents: [Int], _ bounds: () -> [Float]) -> [Int] {
        guard documents.count > Self.maximumDocuments else { return documents }
        let bounds = bounds()
        return documents.sorted { (bounds[$1], $0) < (bounds[$0], $1) }.prefix(Self.maximumDocuments).sorted()
    }

    /// Adds the occurrences of a clause in the documents.
    private func collect(
        _ clause: TextScores.WeightedClause, _ index: Int, _ number: Int, _ part: TextPart,
        _ documents: [Int], _ counts: inout [[Count]], _ events: inout [[Event]]
    ) {
        var next = 0
        part.forEachMatch(clause.found[number]) { match in
            while next < documents.count, documents[next] < match.document { next += 1 }
            guard next < documents.count, documents[next] == match.document else { return }
            counts[next][index].fields = TextScoring.frequency(of: match.fields)
            if clause.isPrefix { counts[next][index].constant = Float(match.occurrences) * unit }
        }
        guard !clause.isPrefix else { return }
        let found = part.occurrences(of: clause.clause, among: documents)
        next = 0
        for (number, document) in found.documents.enumerated() {
            while documents[next] < document { next += 1 }
            events[next] += found.positions(number).map { Event(position: $0, clause: index) }
        }
    }

    /// Returns the frequency of a clause in the current window, adjusted for the length.
    private func frequency(_ count: Count, _ clause: TextScores.WeightedClause) -> Float {
        Float(count.occurrences) * (clause.isPair ? 1 : unit) + count.constant
    }

    /// Returns the contribution of a clause to the score.
    private func share(_ count: Count, _ clause: TextScores.WeightedClause) -> Float {
        let frequency = frequency(count, clause)
        return clause.weight
            * (clause.isPair ? TextScoring.pairShare(frequency) : TextScoring.share(frequency + count.fields))
    }

    /// Returns the window with the highest score. If several have it, the first one is returned.
    private func best(_ counts: inout [Count], _ events: inout [Event]) -> Window {
        events.sort { ($0.position, $0.clause) < ($1.position, $1.clause) }
        for index in counts.indices { counts[index].share = share(counts[index], clauses[index]) }
        // In double precision, rounding errors of the running sum do not decide between windows.
        var sum = counts.reduce(0) { $0 + Double($1.share) }
        var (maximum, best) = (sum, counts)
        func change(_ index: Int, _ difference: Int32) {
            counts[index].occurrences = counts[index].occurrences &+ UInt32(bitPattern: difference)
            let share = share(counts[index], clauses[index])
            sum += Double(share) - Double(counts[index].share)
            counts[index].share = share
        }
        var first = 0
        for (index, event) in events.enumerated() {
            change(event.clause, 1)
            while event.position - events[first].position >= TextScoring.window {
                change(events[first].clause, -1)
                first += 1
            }
            // Only the last one of several occurrences at one position completes a window.
            let isLast = index + 1 == events.count || events[index + 1].position > event.position
            if isLast, sum > maximum { (maximum, best) = (sum, counts) }
        }
        return Window(
            score: best.reduce(0) { $0 + $1.share },
            frequencies: zip(best, clauses).map { frequency($0, $1) })
    }
}

extension TextPart {
    /// Returns whether the body of a document is longer than a window.
    fileprivate func isLong(_ document: Int) -> Bool {
        UInt32(littleEndian: index.lengths[document]) > TextScoring.window
    }
}

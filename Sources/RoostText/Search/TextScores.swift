/// The scores of the documents of a collection for one query (``TextScoring``).
package struct TextScores: Sendable {
    /// A clause of the query with its weight and the documents that it matches in each part.
    struct WeightedClause: Sendable {
        var clause: TextQuery.Clause
        var weight: Float
        var found: [TextPart.Found]
        /// The number of the query's word that the clause stands for; `nil` for a pair of adjacent words.
        var word: Int?
        /// Whether the clause is part of an identifier that the query also contains as a whole.
        var isPart = false
        /// Whether the clause replaces a word that the user entered with a similar one.
        var isCorrected = false
        /// Whether the clause is a pair of adjacent words.
        var isPair: Bool { word == nil }
        var isPrefix: Bool { if case .prefix = clause { true } else { false } }
    }

    private let parts: [TextPart]
    private let clauses: [WeightedClause]
    private let meanLength: Float
    /// For each part, the score of each document; empty if no document of the part matches.
    private let scores: [[Float]]
    /// For each part, the windows from which the scores of long documents are computed, by document.
    private let windows: [[Int: BestWindows.Window]]
    /// The sum of the information of the query's words.
    package let information: Float
    /// The score of a document that consists only of the query.
    package let exactScore: Float

    init(_ parts: [TextPart], _ clauses: [WeightedClause], meanLength: Float) throws {
        (self.parts, self.clauses, self.meanLength) = (parts, clauses, meanLength)
        let best = BestWindows(clauses, meanLength: meanLength)
        var (scores, windows) = ([[Float]](), [[Int: BestWindows.Window]]())
        for (number, part) in parts.enumerated() {
            try Task.checkCancellation()
            let found = clauses.map { ($0.weight, $0.found[number], $0.isPair) }
            scores.append(Self.scores(part, found, meanLength))
            windows.append(
                best.find(in: part, number: number, scores: scores[number]) {
                    Self.scores(part, found, meanLength, maximumLength: TextScoring.window)
                })
            for (document, window) in windows[number] { scores[number][document] = window.score }
        }
        (self.scores, self.windows) = (scores, windows)
        information = Self.information(of: clauses)
        let pairs = clauses.reduce(0) { $0 + ($1.isPair ? $1.weight : 0) }
        exactScore = information * TextScoring.exactShare + pairs * TextScoring.exactPairShare
    }

    /// Returns the information of the words and of the parts of the query's identifiers. Other clauses of a
    /// word, such as those for its occurrences in identifiers of the texts, replace the word, so only the
    /// most informative one counts.
    private static func information(of clauses: [WeightedClause]) -> Float {
        var words: [Int: Float] = [:]
        for clause in clauses where !clause.isPart {
            if let word = clause.word { words[word] = max(words[word] ?? 0, clause.weight) }
        }
        let parts = clauses.reduce(0) { $0 + ($1.isPart ? $1.weight : 0) }
        return words.values.sorted().reduce(0, +) + parts
    }

    /// The score of a document; 0 if it contains none of the words.
    package subscript(part: Int, document: Int) -> Float {
        scores[part].isEmpty ? 0 : scores[part][document]
    }

    /// Returns the documents with the highest scores, best first.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of matches.
    ///   - isAllowed: Returns whether the result may contain the given document of the given part.
    ///   - precedes: Returns whether the first of two documents with equal scores ranks before the second.
    /// - Throws: `CancellationError`.
    /// - Complexity: O(documents).
    package func best(
        _ limit: Int, isAllowed: (_ part: Int, _ document: Int) -> Bool = { _, _ in true },
        precedes: @escaping (TextMatch, TextMatch) -> Bool
    ) throws -> [TextMatch] {
        guard limit > 0 else { return [] }
        var best = BestMatches(limit, precedes: precedes)
        for (number, part) in parts.enumerated() {
            try Task.checkCancellation()
            scores[number].withUnsafeBufferPointer { scores in
                for document in scores.indices where scores[document] >= best.threshold {
                    guard !part.isRemoved(document), isAllowed(number, document) else { continue }
                    best.insert(TextMatch(part: number, document: document, score: scores[document]))
                }
            }
        }
        return best.sorted()
    }

    /// Returns the scores of the whole documents of a part; empty if no document matches.
    ///
    /// - Parameter maximumLength: The length that a longer body counts as.
    /// - Complexity: O(documents + postings of the words).
    private static func scores(
        _ part: TextPart, _ clauses: [(weight: Float, found: TextPart.Found, isPair: Bool)],
        _ meanLength: Float, maximumLength: UInt32 = .max
    ) -> [Float] {
        guard !clauses.allSatisfy(\.found.isEmpty) else { return [] }
        let index = part.index
        return [Float](unsafeUninitializedCapacity: index.documentCount) { scores, count in
            scores.initialize(repeating: 0)
            count = index.documentCount
            index.reading {
                for clause in clauses {
                    part.forEachMatch(clause.found) { match in
                        let occurrences = Float(match.occurrences)
                        guard !clause.isPair else {
                            scores[match.document] += clause.weight * TextScoring.pairShare(occurrences)
                            return
                        }
                        let length = UInt32(littleEndian: index.lengths[match.document])
                        let norm = TextScoring.norm(Float(min(length, maximumLength)), meanLength)
                        scores[match.document] +=
                            clause.weight
                            * TextScoring.share(occurrences / norm + TextScoring.frequency(of: match.fields))
                    }
                }
            }
        }
    }
}

extension TextScores {
    /// The parts of a document's score.
    package struct Breakdown: Sendable, Hashable {
        /// The part that words in the body contribute.
        package var body: Float = 0
        /// The part that words in each other field contribute.
        package var fields: [TextField: Float] = [:]
        /// The part that adjacent words contribute.
        package var pairs: Float = 0
        /// The part that corrected words contribute, in any field.
        package var corrected: Float = 0
        /// The number of the query's words, as corrected, that the document contains as words or as parts of
        /// identifiers.
        package var words = 0
        /// The number of these words that another field than the body contains, such as the title.
        package var fieldWords = 0
        /// The number of the query's pairs of adjacent words that are adjacent in the body.
        package var pairCount = 0
        /// The information of the query's words that the document contains in the form that the user entered,
        /// without pairs. At most ``TextScores/wordInformation``.
        package var covered: Float = 0
    }

    /// The clauses of one word of the query.
    private struct Word {
        /// The indices of the clauses.
        var clauses: [Int] = []
        /// The information of the word: that of its most informative clause.
        var information: Float = 0

        mutating func add(_ clause: Int, _ weight: Float) {
            clauses.append(clause)
            information = max(information, weight)
        }
    }

    /// The words of the query, each with its clauses.
    private var words: [Word] {
        var words: [Int: Word] = [:]
        for (index, clause) in clauses.enumerated() {
            if let word = clause.word { words[word, default: Word()].add(index, clause.weight) }
        }
        return words.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The number of different words and prefixes of the query.
    package var wordCount: Int { Set(clauses.lazy.filter { !$0.isPart }.compactMap(\.word)).count }

    /// Returns whether a document has the words of the query where chance rarely puts them: all in other
    /// fields than the body, or all next to each other.
    package func areTogether(in breakdown: Breakdown) -> Bool {
        let (words, pairs) = (wordCount, clauses.count(where: \.isPair))
        guard words > 0 else { return false }
        return breakdown.fieldWords >= words || (words == pairs + 1 && breakdown.pairCount >= pairs)
    }

    /// The sum of the information of the query's words, each counted once: unlike ``information``, without
    /// the further clauses of a word, such as those for its occurrences in identifiers. It is the value of
    /// ``Breakdown/covered`` of a document that contains all words, unless words were corrected.
    package var wordInformation: Float { words.reduce(0) { $0 + $1.information } }

    /// Returns the parts of the scores of some documents of a part.
    ///
    /// - Complexity: O(documents + postings of the words).
    package func breakdowns(ofPart number: Int, _ documents: [Int]) -> [Int: Breakdown] {
        let part = parts[number]
        var breakdowns = Dictionary(documents.map { ($0, Breakdown()) }) { first, _ in first }
        // Most postings are those of other documents, and a look-up in an array is faster than in the
        // dictionary.
        var isRequested = [Bool](repeating: false, count: part.index.documentCount)
        for document in documents { isRequested[document] = true }
        part.index.reading {
            for (index, pair) in clauses.enumerated() where pair.isPair {
                part.forEachMatch(pair.found[number]) { match in
                    guard isRequested[match.document] else { return }
                    let window = windows[number][match.document]
                    let occurrences = window?.frequencies[index] ?? Float(match.occurrences)
                    breakdowns[match.document]?.pairs += pair.weight * TextScoring.pairShare(occurrences)
                    breakdowns[match.document]?.pairCount += 1
                }
            }
            for word in words {
                var presences: [Int: Presence] = [:]
                for index in word.clauses {
                    part.forEachMatch(clauses[index].found[number]) { match in
                        guard isRequested[match.document] else { return }
                        presences[match.document, default: Presence()].add(
                            clauses[index], isInField: !match.fields.isEmpty)
                        add(match, index, number, to: &breakdowns[match.document, default: Breakdown()])
                    }
                }
                for (document, presence) in presences {
                    breakdowns[document]?.words += presence.isComplete ? 1 : 0
                    breakdowns[document]?.fieldWords += presence.isCompleteInField ? 1 : 0
                    breakdowns[document]?.covered += presence.covered(of: word)
                }
            }
        }
        return breakdowns
    }

    /// The clauses of one word of the query that a document contains.
    private struct Presence {
        /// Whether the document contains the word or its correction, and not only some of its parts.
        var isComplete = false
        /// Whether another field than the body contains the word or its correction.
        var isCompleteInField = false
        /// Whether the document contains the word in the form that the user entered.
        private var isEntered = false
        private var informationOfParts: Float = 0

        mutating func add(_ clause: WeightedClause, isInField: Bool) {
            isComplete = isComplete || !clause.isPart
            isCompleteInField = isCompleteInField || (isInField && !clause.isPart)
            isEntered = isEntered || !(clause.isPart || clause.isCorrected)
            informationOfParts += clause.isPart ? clause.weight : 0
        }

        func covered(of word: Word) -> Float {
            isEntered ? word.information : min(word.information, informationOfParts)
        }
    }

    /// Adds the contribution of a clause to the parts of a document's score.
    ///
    /// - Parameters:
    ///   - index: The index of the clause.
    ///   - number: The number of the document's part.
    private func add(
        _ match: TextPart.FoundDocument, _ index: Int, _ number: Int, to breakdown: inout Breakdown
    ) {
        let clause = clauses[index]
        let length = Float(UInt32(littleEndian: parts[number].index.lengths[match.document]))
        let body =
            windows[number][match.document]?.frequencies[index]
            ?? Float(match.occurrences) / TextScoring.norm(length, meanLength)
        let frequency = body + TextScoring.frequency(of: match.fields)
        let unit = clause.weight / (frequency + TextScoring.k1)
        breakdown.corrected += clause.isCorrected ? unit * frequency : 0
        breakdown.body += unit * body
        for field in match.fields.members {
            breakdown.fields[field, default: 0] += unit * TextScoring.frequency(of: field)
        }
    }
}

public import RoostModel
import RoostVectors

/// A guarantee that every embedder must give. Each law is a separate test case:
///
///     @Test(arguments: EmbedderLaw.allCases)
///     func `my embedder obeys`(law: EmbedderLaw) async throws { try await law.check(MyEmbedder()) }
public enum EmbedderLaw: String, Sendable, CaseIterable {
    /// There is one vector and one number of tokens for each text. The vectors have the dimension of the
    /// space and finite components. If the space is normalized, they have unit length or are zero.
    case answersMatchTexts
    /// A text has the same vector whether it is embedded alone or with others.
    case vectorsDoNotDependOnOtherTexts
    /// Concurrent calls return the same vectors as a single one.
    case concurrentCallsAgree
    /// Empty and very long texts and texts with unusual characters have vectors too.
    case anyTextHasAVector
    /// The ranges of tokens are ascending and disjoint, and within the text.
    case tokenRangesAreOrdered

    /// The permitted deviation of a component, which is that of the contract of `Embedder`.
    private static let tolerance: Float = 1e-5

    /// The permitted deviation of a vector's length from 1. The length has the rounding errors of all
    /// components.
    private static let lengthTolerance: Float = 1e-3

    private static let texts = [
        "The swift is back above the roof.", "A swift", "Feed the sourdough on Friday evening.", "a a",
        "Swallows and martins return in April, and the swifts follow them in the first days of May.",
    ]

    /// Texts with kinds of characters that tokenizers are known to handle incorrectly.
    private static let unusualTexts = [
        "", " \n\t", "a\u{0}b", "\u{FEFF}x", "e\u{301}", "日本語の文章", "👩‍👩‍👧", "\u{202E}abc", "\r\n\"\\",
        String(repeating: "a", count: 5000), String(repeating: "a long text of many words ", count: 2000),
    ]

    /// Checks the law with an embedder.
    ///
    /// - Throws: ``LawViolation``, or an error thrown by the embedder.
    public func check(_ embedder: any Embedder) async throws {
        switch self {
        case .answersMatchTexts:
            for role in [TextRole.query, .document] {
                for texts in [[], [Self.texts[0]], Self.texts] {
                    _ = try await checkedRows(embedder, texts, role)
                }
            }
        case .vectorsDoNotDependOnOtherTexts:
            let together = try await checkedRows(embedder, Self.texts, .document)
            for (text, vector) in zip(Self.texts, together) {
                try requireEqual(try await checkedRows(embedder, [text], .document)[0], vector, text)
            }
        case .concurrentCallsAgree:
            let expected = try await checkedRows(embedder, Self.texts, .document)
            let found = try await concurrently(8) { _ in
                try await checkedRows(embedder, Self.texts, .document)
            }
            for (index, text) in Self.texts.enumerated() {
                for rows in found { try requireEqual(rows[index], expected[index], text) }
            }
        case .anyTextHasAVector:
            _ = try await checkedRows(embedder, Self.unusualTexts, .document)
            _ = try await checkedRows(embedder, Self.unusualTexts, .query)
        case .tokenRangesAreOrdered:
            for text in Self.texts + Self.unusualTexts {
                var end = 0
                for range in embedder.tokenRanges(in: text) {
                    try require(
                        range.lowerBound >= end && range.upperBound <= text.utf8.count,
                        "the range \(range) of '\(text.prefix(40))', which has \(text.utf8.count) bytes, "
                            + "follows \(end)")
                    end = range.upperBound
                }
            }
        }
    }

    private func requireEqual(_ found: [Float], _ expected: [Float], _ text: String) throws {
        let difference = zip(found, expected).map { abs($0 - $1) }.max() ?? 0
        try require(
            difference <= Self.tolerance, "two vectors of '\(text)' differ by \(difference) in a component")
    }

    private func checkedRows(
        _ embedder: any Embedder, _ texts: [String], _ role: TextRole
    ) async throws -> [[Float]] {
        let answer = try await embedder.embed(texts, as: role)
        let counts = [answer.vectors.rows, answer.tokenCounts.count, answer.omittedTokens.count]
        try require(
            counts.allSatisfy { $0 == texts.count },
            "the numbers of vectors, tokens and omitted tokens for \(texts.count) texts are \(counts)")
        let dimension = embedder.space.dimension
        try require(
            texts.isEmpty || answer.vectors.columns == dimension,
            "the dimension of the vectors is \(answer.vectors.columns), and that of the space \(dimension)")
        let rows = texts.indices.map { answer.vectors.row($0) }
        for (text, row) in zip(texts, rows) {
            try require(
                row.allSatisfy(\.isFinite),
                "a vector of '\(text.prefix(40))' has a component that is not finite")
            let length = row.reduce(0) { $0 + $1 * $1 }.squareRoot()
            try require(
                !embedder.space.isNormalized || length == 0 || abs(length - 1) <= Self.lengthTolerance,
                "a vector of '\(text.prefix(40))' has the length \(length)")
        }
        return rows
    }
}

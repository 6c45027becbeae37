import RoostModel
import RoostText

/// The parts of a printed hit that a user asks for: the passages around it, and the shares of its score.
package struct HitDetails: Encodable {
    /// The shares of the score, and the score by words.
    package struct Explanation: Encodable {
        /// The parts of the score, which add up to it.
        package struct Shares: Encodable {
            package var passage: Float
            package var entry: Float
            package var words: Float
            package var fields: [String: Float]
            package var phrase: Float
        }

        package var textScore: Float?
        package var shares: Shares
    }

    /// The passages around the matched passage.
    package struct Context: Encodable {
        package var range: [Int]
        package var text: String
    }

    package var context: Context?
    package var explanation: Explanation?

    /// The parts to include.
    package struct Selection {
        /// The number of passages before and after the matched passage; `nil` for no context.
        package var context: Int?
        package var hasExplanation: Bool

        package init(context: Int? = nil, hasExplanation: Bool = false) {
            self.context = context
            self.hasExplanation = hasExplanation
        }
    }

    package init(_ hit: QueryHit, _ selection: Selection) {
        if let count = selection.context {
            let range = hit.context(count)
            context = Context(
                range: [range.lowerBound, range.upperBound], text: hit.entry.text(in: range) ?? "")
        }
        if selection.hasExplanation {
            explanation = Explanation(textScore: hit.textScore, shares: .init(hit.explanation))
        }
    }
}

extension HitDetails.Explanation.Shares {
    init(_ explanation: ScoreExplanation) {
        passage = explanation.passage
        entry = explanation.entry
        words = explanation.words
        fields = Dictionary(
            uniqueKeysWithValues: explanation.fields.map { ($0.key.rawValue, $0.value) })
        phrase = explanation.phrase
    }
}

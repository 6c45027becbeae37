import Foundation
import Roost
import RoostConversations

/// The JSON output for a recalled message: that of a hit, the message, and its context.
struct RecollectionDocument: Encodable {
    private let hit: HitDocument
    private let message: RememberedMessage
    private let before: [RememberedMessage]
    private let after: [RememberedMessage]

    private enum CodingKeys: String, CodingKey {
        case message, before, after
    }

    init(_ recollection: Recollection, rank: Int, in result: RecallResult, hasExplanation: Bool) {
        var hit = recollection.explainedHit
        hit.rank = rank
        var document = HitDocument(
            hit, result.search.snippet(of: hit), HitDocument.Additions(hasExplanation: hasExplanation))
        let shares = recollection.explanation
        document.explanation?.shares.neighbors = shares.neighbors
        document.explanation?.shares.time = shares.time
        self.hit = document
        (message, before, after) = (recollection.message, recollection.before, recollection.after)
    }

    func encode(to encoder: any Encoder) throws {
        try hit.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(message, forKey: .message)
        try container.encode(before, forKey: .before)
        try container.encode(after, forKey: .after)
    }
}

extension Recollection {
    /// The hit with the score of the recollection and the message's shares of it.
    fileprivate var explainedHit: QueryHit {
        var hit = hit
        hit.score = score
        hit.explanation = explanation.message
        return hit
    }

    /// The shares of the score that are not zero, followed by the cosine and the ranks.
    var explanationText: String {
        HitExplanation.text(
            of: explainedHit,
            others: [("neighbors", explanation.neighbors), ("time", explanation.time)])
    }
}

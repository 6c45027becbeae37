import Foundation
import Roost
import RoostConversations

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

import Roost

/// The weight by which a message is ranked, in its parts.
struct RecallWeight {
    /// The relevance of the message itself.
    var relevance: Float
    /// The shares of the relevance of the messages around it.
    var neighbors: Float
    /// The bonus for a message from a date that the query names.
    var time: Float = 0
    /// The part for the age of the message.
    var recency: Float = 0

    var sum: Float { relevance + neighbors + time + recency }

    /// Multiplies every part by a factor.
    mutating func scale(by factor: Float) {
        relevance *= factor
        neighbors *= factor
        time *= factor
        recency *= factor
    }

    /// Returns the shares of the score of a recollection with this weight. The score is not linear in the
    /// weight, so each part has the share of the score that it has of the weight.
    func explanation(of recollection: Recollection) -> RecallExplanation {
        var result = RecallExplanation()
        guard sum > 0 else { return result }
        let factor = recollection.score / sum
        let hit = recollection.hit
        if hit.score > 0 { result.message = hit.explanation.scaled(by: relevance * factor / hit.score) }
        result.neighbors = neighbors * factor
        result.time = time * factor
        result.recency = recency * factor
        return result
    }
}

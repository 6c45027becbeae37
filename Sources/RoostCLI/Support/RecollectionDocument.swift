import Foundation
import Roost
import RoostMemory

/// The JSON output for a recalled message: that of a hit, the message, and its context.
struct RecollectionDocument: Encodable {
    private let hit: HitDocument
    private let message: RememberedMessage
    private let before: [RememberedMessage]
    private let after: [RememberedMessage]

    private enum CodingKeys: String, CodingKey {
        case message, before, after
    }

    /// - Parameter rank: The rank of the message in the result, from 1.
    init(_ recollection: Recollection, rank: Int, in result: RecallResult) {
        var hit = recollection.hit
        hit.score = recollection.score
        hit.rank = rank
        self.hit = HitDocument(hit, result.search.snippet(of: hit), HitDocument.Additions())
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

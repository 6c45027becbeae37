import Roost
import Synchronization

/// An embedder that records the texts that it embeds.
final class RecordingEmbedder: Embedder {
    private let base = LexicalEmbedder()
    private let recorded = Mutex<[String]>([])
    /// The limit of the model; `nil` for none.
    let maximumTokens: Int?

    init(maximumTokens: Int? = nil) { self.maximumTokens = maximumTokens }

    var space: EmbeddingSpace { base.space }

    /// Returns the texts that were embedded since the last call.
    func takeTexts() -> [String] {
        recorded.withLock { texts in
            defer { texts = [] }
            return texts
        }
    }

    func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        if role == .document { recorded.withLock { $0 += texts } }
        return try await base.embed(texts, as: role)
    }

    func tokenRanges(in text: String) -> [Range<Int>] { base.tokenRanges(in: text) }
}

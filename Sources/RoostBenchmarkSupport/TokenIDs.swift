import RoostEncoders
public import RoostModel

/// Returns the token ids, including special tokens, that a model receives when it embeds a document.
///
/// - Returns: `nil` if the model is not a `BERTEmbedder`.
public func tokenIDs(of text: String, _ model: any Embedder) -> [Int32]? {
    (model as? BERTEmbedder)?.tokenIDs(of: text)
}

import RoostEncoders
public import RoostModel

/// Returns the token ids from which a model embeds a document, including special tokens.
///
/// - Returns: `nil` if the model is not a `BERTEmbedder`.
public func tokenIDs(of text: String, _ model: any Embedder) -> [Int32]? {
    (model as? BERTEmbedder)?.tokenIDs(of: text)
}

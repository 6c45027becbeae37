import RoostModel

extension ModelFolder {
    /// Creates the tokenizer of the model: a unigram model if `tokenizer.json` has one and there is no
    /// `vocab.txt`, otherwise WordPiece.
    ///
    /// - Parameter addsSpecialTokens: Whether the vocabulary must have tokens for the beginning and the end
    ///   of a sequence.
    /// - Throws: `EmbedderError` that names the file or the unsupported setting.
    func tokenizer(addsSpecialTokens: Bool = true) throws -> any ModelTokenizer {
        if !has("vocab.txt") {
            // The file of SentencePiece itself, such as `sentencepiece.bpe.model`, is not supported.
            guard has("tokenizer.json") else { throw missing("vocab.txt or tokenizer.json") }
            let file = try TokenizerFile(self)
            if try file.decodeFromModel(String.self, "type") == "Unigram" {
                return try UnigramTokenizer(file, addsSpecialTokens: addsSpecialTokens)
            }
        }
        return try WordPieceTokenizer(self, addsSpecialTokens: addsSpecialTokens)
    }
}

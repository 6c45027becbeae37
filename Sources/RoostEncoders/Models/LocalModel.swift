public import Foundation
public import RoostModel

/// Models in folders, of whatever kind.
public enum LocalModel {
    /// Opens a folder: a BERT model in the layout of sentence-transformers, or a static one in that of
    /// Model2Vec.
    ///
    /// - Parameter precision: of a BERT model's layers; a static model has its own.
    /// - Throws: ``EmbedderError`` naming the file and what is wrong with it.
    public static func open(_ folder: URL, precision: BERTEmbedder.Precision = .float32) throws
        -> any Embedder
    {
        guard try StaticEmbedder.describes(ModelFolder(folder)) else {
            return try BERTEmbedder(folder: folder, precision: precision)
        }
        guard precision == .float32 else {
            throw EmbedderError(
                .unsupportedModel,
                "the model in \(folder.path) is a static one, whose precision was chosen when it was made")
        }
        return try StaticEmbedder(folder: folder)
    }
}

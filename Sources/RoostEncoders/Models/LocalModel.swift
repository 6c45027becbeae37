public import Foundation
public import RoostModel

/// Opens embedding models in local folders.
public enum LocalModel {
    /// Opens the model in a folder: a BERT model in the layout of sentence-transformers, or a static model in
    /// the layout of Model2Vec.
    ///
    /// - Parameters:
    ///   - folder: The model folder.
    ///   - precision: The precision of the layers of a BERT model. A static model supports only `.float32`,
    ///     because its precision was chosen when it was created.
    /// - Throws: `EmbedderError` that names the file and the problem.
    public static func open(_ folder: URL, precision: BERTEmbedder.Precision = .float32) throws
        -> any Embedder
    {
        guard try StaticEmbedder.describes(ModelFolder(folder)) else {
            return try BERTEmbedder(folder: folder, precision: precision)
        }
        guard precision == .float32 else {
            throw EmbedderError(
                .unsupportedModel,
                "cannot open the model in \(folder.path) with precision \(precision.rawValue): the "
                    + "precision of a static model was chosen when it was created")
        }
        return try StaticEmbedder(folder: folder)
    }
}

public import Foundation
public import RoostEncoders
public import RoostModel

/// The choice of an embedding model for a store.
///
///     .miniLM                                  // installed for the current user
///     .installed("bge-small-en-v1.5")
///     .folder(Bundle.main.resourceURL!.appending(path: "all-MiniLM-L6-v2"))
///     .lexical                                 // compares words, needs no files
///     .embedder(MyEmbedder())
///
/// The model is not opened until a store is opened, so a choice can be stored in a constant.
public struct EmbeddingModel: Sendable {
    private let open: @Sendable () throws -> any Embedder

    /// A model that is installed in a library.
    ///
    /// - Parameters:
    ///   - name: The name of the model, as in ``ModelLibrary/open(_:)``.
    ///   - library: The current user's library by default.
    public static func installed(
        _ name: String, in library: ModelLibrary = .ofUser
    ) -> EmbeddingModel {
        EmbeddingModel { try library.open(name) }
    }

    /// A model in any folder, for example in the resources of an app.
    ///
    /// - Parameters:
    ///   - url: The folder, in the layout of sentence-transformers or Model2Vec.
    ///   - precision: The precision of the weights in memory. `int8` is faster and less precise; its vectors
    ///     form a separate embedding space.
    public static func folder(
        _ url: URL, precision: BERTEmbedder.Precision = .float32
    ) -> EmbeddingModel {
        EmbeddingModel { try LocalModel.open(url, precision: precision) }
    }

    /// An embedder that is already open, or the caller's own implementation of `Embedder`.
    public static func embedder(_ embedder: any Embedder) -> EmbeddingModel {
        EmbeddingModel { embedder }
    }

    /// all-MiniLM-L6-v2: 384 dimensions, English, about 90 MB; a good default for most texts.
    public static let miniLM = EmbeddingModel.installed("minilm")

    /// The built-in embedder that compares texts by their words, not by their meaning. It needs no files.
    public static let lexical = EmbeddingModel.embedder(LexicalEmbedder())

    /// Opens the model.
    ///
    /// - Throws: `EmbedderError` if the model is missing or damaged.
    func makeEmbedder() throws -> any Embedder { try open() }
}

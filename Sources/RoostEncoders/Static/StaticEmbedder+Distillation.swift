public import Foundation
import RoostFiles
import RoostModel
import RoostVectors

extension StaticEmbedder {
    /// Creates a static model from a contextual one by the method of Model2Vec (Tulkens & van Dongen 2024).
    ///
    /// The model embeds every token of the vocabulary separately. Principal component analysis reduces the
    /// vectors to `dimension` components, and each vector is weighted by the rarity of its token. The weight
    /// is the smooth inverse frequency (Arora et al. 2017), computed from the frequency that Zipf's law
    /// predicts for the rank of the token in the vocabulary.
    ///
    /// No training texts are needed. The folder is created atomically: it is either complete or absent.
    ///
    /// - Parameters:
    ///   - model: The model to distill.
    ///   - folder: The folder to create; it must not exist.
    ///   - dimension: The number of components of a vector. If it exceeds the dimension of the model, the
    ///     latter is used.
    ///   - precision: The precision of the stored vectors. With 8 bits, they take a quarter of the space, and
    ///     the scale of each is stored in the weight of its token.
    ///   - progress: Called with the number of embedded tokens and the total number of tokens.
    /// - Throws: `EmbedderError`: `.badOutput` if the folder exists or cannot be written, `.damagedModel` if
    ///   the model computes a number that is not finite, `.unsupportedModel` if its vocabulary has only
    ///   special tokens; `CancellationError`.
    /// - Complexity: One forward pass for each token; seconds for 30,000 tokens.
    @concurrent
    public static func distill(
        _ model: BERTEmbedder, into folder: URL, dimension: Int = 256,
        precision: BERTEmbedder.Precision = .float32,
        progress: @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws {
        precondition(dimension > 0, "the dimension must be positive, not \(dimension)")
        guard !FileManager.default.fileExists(atPath: folder.path) else {
            throw EmbedderError(
                .badOutput,
                "cannot write the static model: \(folder.path) already exists; choose a new folder")
        }
        let tokenizer = try model.folder.tokenizer()
        let n = tokenizer.count
        let ids = (0..<n).filter { !tokenizer.isSpecial($0) }
        guard !ids.isEmpty else {
            throw model.folder.unsupported("the distillation of a vocabulary of special tokens only")
        }
        var rows: [Float] = []
        // The number of tokens between two calls of `progress`.
        let step = 2048
        for start in stride(from: 0, to: ids.count, by: step) {
            let batch = ids[start..<min(ids.count, start + step)]
            rows += try await model.vectors(ofTokens: batch.map { Int32($0) }).elements
            progress(start + batch.count, ids.count)
        }
        let full = Matrix(rows: ids.count, columns: model.space.dimension, elements: rows)
        guard let components = PrincipalComponents(of: full, limit: dimension) else {
            throw model.folder.overflow
        }
        let projected = components.project(full)
        let d = projected.columns
        // By Zipf's law, the token of rank r has the probability p = 1 / (r · H). Its weight by smooth
        // inverse frequency is a / (a + p).
        let harmonic = (1...ids.count).reduce(0.0) { $0 + 1 / Double($1) }
        var vectors = [Float](repeating: 0, count: n * d)
        var weights = [Float](repeating: 0, count: n)
        for (rank, id) in ids.enumerated() {
            weights[id] = Float(sif / (sif + 1 / (Double(rank + 1) * harmonic)))
            for column in 0..<d { vectors[id * d + column] = projected[rank, column] }
        }
        let tensors = tensors(vectors, weights, of: ids, precision)
        try write(tensors, d, of: model, into: folder)
    }

    /// Returns the tensors of the model file: the weighted vectors, or 8-bit vectors and their scales.
    private static func tensors(
        _ vectors: [Float], _ weights: [Float], of ids: [Int], _ precision: BERTEmbedder.Precision
    ) -> [Safetensors.Named] {
        var (vectors, weights) = (vectors, weights)
        let n = weights.count
        let d = vectors.count / n
        switch precision {
        case .float32:
            for id in ids { for column in 0..<d { vectors[id * d + column] *= weights[id] } }
            return [.init("embeddings", .float32, [n, d], vectors.withUnsafeBytes { Data($0) })]
        case .int8:
            var bytes = [Int8](repeating: 0, count: vectors.count)
            for id in ids {
                let maximum = vectors[id * d..<(id + 1) * d].reduce(0) { max($0, abs($1)) }
                guard maximum > 0 else { continue }
                for column in id * d..<(id + 1) * d {
                    bytes[column] = Int8((vectors[column] / maximum * 127).rounded())
                }
                weights[id] *= maximum / 127
            }
            return [
                .init("embeddings", .int8, [n, d], bytes.withUnsafeBytes { Data($0) }),
                .init("weights", .float32, [n], weights.withUnsafeBytes { Data($0) }),
            ]
        }
    }

    /// The constant `a` of smooth inverse frequency. Model2Vec uses the same value.
    private static let sif = 1e-4

    private static func write(
        _ tensors: [Safetensors.Named], _ dimension: Int, of model: BERTEmbedder, into folder: URL
    ) throws {
        let configuration = Configuration(
            modelType: "model2vec", normalize: true, seqLength: 1_000_000,
            tokenizerName: model.folder.name, applyPca: dimension, sifCoefficient: sif,
            hiddenDim: dimension)
        let encoder = JSONEncoder.canonical
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let files = FileSystem.standard
        let parent = folder.deletingLastPathComponent()
        let staging = parent.appendingPathComponent(".\(folder.lastPathComponent).\(UUID().uuidString)")
        do {
            try files.createFolder(parent)
            try files.createFolder(staging)
            for name in ["vocab.txt", "tokenizer.json", "tokenizer_config.json"] where model.folder.has(name)
            {
                try AtomicFile.copy(model.folder.url(name), to: staging.appendingPathComponent(name))
            }
            try AtomicFile.write(
                try encoder.encode(configuration), to: staging.appendingPathComponent("config.json"))
            try AtomicFile.write(
                try Safetensors.file(of: tensors), to: staging.appendingPathComponent("model.safetensors"))
            try files.rename(staging.path, to: folder.path)
        } catch {
            try? FileManager.default.removeItem(at: staging)
            throw EmbedderError(.badOutput, "cannot write the static model to \(folder.path): \(error)")
        }
    }
}

public import Foundation
import RoostFiles
import RoostModel
import RoostVectors

extension StaticEmbedder {
    /// How the vectors of a static model are kept.
    public enum Precision: String, Sendable, Hashable, CaseIterable {
        case float32
        /// A quarter of the size: each token's vector is rounded to 8 bits, its length kept in its weight.
        case int8
    }

    /// Makes a static model of a contextual one, as Model2Vec does (Tulkens & van Dongen 2024): every token
    /// of the vocabulary goes through the model alone, principal components keep `dimension` numbers of each
    /// vector, and each is weighted by how rare the token is (smooth inverse frequency, Arora et al. 2017,
    /// with the frequency that Zipf's law gives for the token's place in the vocabulary).
    ///
    /// No texts are needed. The folder is written whole or not at all.
    /// - Parameters:
    ///   - folder: where the model will be; nothing may be there.
    ///   - dimension: at most the model's own.
    ///   - progress: called with the tokens that are done and their number.
    /// - Complexity: one pass of each token through the model; seconds for 30,000 of them.
    /// - Throws: ``EmbedderError`` with `.badOutput` where something is in the way; `CancellationError`.
    @concurrent
    public static func distill(
        _ model: BERTEmbedder, into folder: URL, dimension: Int = 256, precision: Precision = .float32,
        progress: @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws {
        precondition(dimension > 0, "a dimension of \(dimension)")
        guard !FileManager.default.fileExists(atPath: folder.path) else {
            throw EmbedderError(.badOutput, "\(folder.path) is there already; name a folder that is not")
        }
        let pieces = try WordPieceTokenizer.pieces(of: model.folder)
        let ids = pieces.indices.filter { !isSpecial(pieces[$0]) }
        var rows: [Float] = []
        let step = 2048
        for start in stride(from: 0, to: ids.count, by: step) {
            let part = ids[start..<min(ids.count, start + step)]
            rows += try await model.vectors(ofTokens: part.map { Int32($0) }).elements
            progress(start + part.count, ids.count)
        }
        let whole = Matrix(rows: ids.count, columns: model.space.dimension, elements: rows)
        guard let components = PrincipalComponents(of: whole, limit: dimension) else {
            throw EmbedderError(
                .unsupportedModel, "the model in \(model.folder.url.path) has no tokens to distill")
        }
        let projected = components.project(whole)
        let d = projected.columns
        // Zipf: the token of rank r has probability 1 / (r · H). SIF: a / (a + p).
        let harmonic = (1...ids.count).reduce(0.0) { $0 + 1 / Double($1) }
        var vectors = [Float](repeating: 0, count: pieces.count * d)
        var weights = [Float](repeating: 0, count: pieces.count)
        for (rank, id) in ids.enumerated() {
            weights[id] = Float(sif / (sif + 1 / (Double(rank + 1) * harmonic)))
            for column in 0..<d { vectors[id * d + column] = projected[rank, column] }
        }
        var tensors: [Safetensors.Named] = []
        switch precision {
        case .float32:
            for id in ids { for column in 0..<d { vectors[id * d + column] *= weights[id] } }
            tensors.append(
                .init("embeddings", .float32, [pieces.count, d], vectors.withUnsafeBytes { Data($0) }))
        case .int8:
            var bytes = [Int8](repeating: 0, count: vectors.count)
            for id in ids {
                let largest = vectors[id * d..<(id + 1) * d].reduce(0) { max($0, abs($1)) }
                guard largest > 0 else { continue }
                for column in id * d..<(id + 1) * d {
                    bytes[column] = Int8((vectors[column] / largest * 127).rounded())
                }
                weights[id] *= largest / 127
            }
            tensors.append(.init("embeddings", .int8, [pieces.count, d], bytes.withUnsafeBytes { Data($0) }))
            tensors.append(.init("weights", .float32, [pieces.count], weights.withUnsafeBytes { Data($0) }))
        }
        try write(tensors, d, of: model, into: folder)
    }

    /// The usual constant of smooth inverse frequency.
    private static let sif = 1e-4

    private static func isSpecial(_ piece: Substring) -> Bool {
        piece.hasPrefix("[") && piece.hasSuffix("]") && piece.utf8.count > 2
    }

    private static func write(
        _ tensors: [Safetensors.Named], _ dimension: Int, of model: BERTEmbedder, into folder: URL
    ) throws {
        let configuration = Configuration(
            model_type: "model2vec", normalize: true, seq_length: 1_000_000,
            tokenizer_name: model.folder.name,
            apply_pca: dimension, sif_coefficient: sif, hidden_dim: dimension)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
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
            throw EmbedderError(.badOutput, "the model cannot be written to \(folder.path): \(error)")
        }
    }
}

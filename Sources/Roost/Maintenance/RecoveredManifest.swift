import Foundation
import RoostEncoders
import RoostFiles
import RoostModel
import RoostText
import RoostVectors

/// The manifest of a store that is inspected or repaired: either the one in the store's folder, or a
/// substitute if that is missing or damaged.
struct RecoveredManifest {
    /// The manifest. A substitute has the provider whose files exist and a placeholder as its space; `nil` if
    /// there are no such files.
    private(set) var manifest: StoreManifest?
    let isIntact: Bool
    private(set) var findings: [StorageFinding] = []
    private let directory: URL

    /// The number of entries whose vectors are compared with an embedder's.
    private static let sampleCount = 5
    /// The number of entries that are read to find these samples, because some entries may have no vector.
    private static let sampleLimit = 100
    /// The minimum mean cosine at which vectors are attributed to an embedder. Rounding changes the cosine by
    /// less than 1e-5, 8-bit weights by up to 0.002, and another model by far more.
    private static let minimumAgreement: Float = 0.998

    /// Reads the manifest, or determines the provider from the other files in the folder.
    ///
    /// - Throws: ``RoostError`` with `.noStore` if there is neither a manifest nor storage, or with
    ///   `.newerFormat`; `StorageError`.
    init(in directory: URL) throws {
        self.directory = directory
        do {
            manifest = try StoreManifest.read(in: directory)
            isIntact = true
        } catch let error as RoostError where [.damagedManifest, .noStore].contains(error.code) {
            isIntact = false
            let path = StoreManifest.path(in: directory)
            let space = LexicalEmbedder().space
            let candidates = [StoreManifest.Provider.sqlite, .json].map {
                StoreManifest(provider: $0, space: space)
            }
            manifest = candidates.first {
                StoreConfiguration(directory: directory, manifest: $0).hasStorageFiles
            }
            if manifest != nil {
                findings.append(
                    .damage(
                        path, error.code == .noStore ? "is missing" : "is damaged",
                        remedy: "determines which installed model computed the vectors, and writes the file "
                            + "again"))
            } else if error.code == .damagedManifest {
                findings.append(.damage(path, "is damaged, and the folder contains no entries"))
            } else {
                throw error
            }
        }
    }

    /// Writes a new manifest with the space of the embedder that computed the stored vectors.
    func restore(
        _ configuration: StoreConfiguration, _ store: UUID, with embedders: [any Embedder]
    ) async throws -> StorageFinding {
        let samples = try await configuration.withStorage { storage in
            try await storage.snapshot().entries(after: nil, limit: Self.sampleLimit, matching: .all).entries
                .filter { !$0.embeddings.isEmpty && !$0.content.allSatisfy(\.isWhitespace) }
                .prefix(Self.sampleCount)
        }
        let path = StoreManifest.path(in: directory)
        // Use the best match, not the first one: the same model with a different precision also agrees well.
        var best: (space: EmbeddingSpace, agreement: Float)?
        for embedder in embedders {
            guard let agreement = await Self.agreement(of: embedder, with: samples),
                agreement > max(Self.minimumAgreement, best?.agreement ?? 0)
            else { continue }
            best = (embedder.space, agreement)
        }
        if let best {
            var restored = configuration.manifest
            restored.space = best.space
            restored.move = nil
            restored.store = store
            restored.hasOriginals = OriginalStore(of: directory).exists ? true : nil
            try keepDamagedFile()
            try restored.write(in: directory)
            return .note(
                path,
                "was written again for \(best.space), which computed the vectors; the store has no maximum "
                    + "size now")
        }
        return .damage(
            path,
            samples.isEmpty
                ? "cannot be restored: no entry has a vector to compare with; a store without entries can be "
                    + "created again"
                : "cannot be restored: no installed model computes the stored vectors; install that model "
                    + "first")
    }

    /// Returns the mean cosine similarity between an embedder's vectors and the stored ones; `nil` if they
    /// cannot be compared.
    private static func agreement(
        of embedder: any Embedder, with samples: some Collection<Entry>
    ) async -> Float? {
        var sum: Float = 0
        for sample in samples {
            guard let passage = sample.searchablePassages.first, let text = sample.text(of: passage),
                embedder.space.dimension == passage.vector.count
            else { return nil }
            let plan = PassagePlan(of: sample, embedder: embedder)
            let planned = plan.parts.first?.text ?? text
            guard let vector = try? await embedder.embed(planned, as: .document) else { return nil }
            sum += innerProduct(vector, passage.vector)
        }
        return samples.isEmpty ? nil : sum / Float(samples.count)
    }

    private func keepDamagedFile() throws {
        guard let data = FileManager.default.contents(atPath: StoreManifest.path(in: directory)) else {
            return
        }
        let target = StoreRepair.folderForDamagedFiles(in: directory)
        try StorageError.mappingFileErrors {
            try FileSystem.standard.createFolder(target)
            try AtomicFile.write(data, to: target.appendingPathComponent(StoreManifest.fileName))
        }
    }
}

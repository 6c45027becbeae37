import Foundation
import RoostFiles
import RoostModel
import RoostVectors
import Synchronization

/// Checks that an open model computes the recorded vectors. All copies of an embedder share one check.
///
/// The size and the times of a file do not show that a disk returned wrong bytes. Therefore, the first use of
/// a model compares the vector of a fixed text with the recorded one, and before texts are embedded for
/// storage, all weights are read and compared with their checksum.
final class ModelCheck: Sendable {
    private let folder: ModelFolder
    private let weights: Safetensors
    private let record: ModelRecord
    private let precision: String

    private struct State {
        var hasCheckedProbe = false
        var hasCheckedBytes = false
    }
    private let state = Mutex(State())

    /// The minimum cosine similarity between the vector of the fixed text and the recorded one. Rounding on
    /// different processors changes the cosine by less than 1e-5 in Float32, and by less than 0.001 with
    /// 8-bit weights.
    private var minimumSimilarity: Float { precision == "int8" ? 0.999 : 0.9999 }

    init(_ folder: ModelFolder, _ weights: Safetensors, _ record: ModelRecord, precision: String) {
        self.folder = folder
        self.weights = weights
        self.record = record
        self.precision = precision
    }

    /// Checks the model before it is used; later calls return immediately.
    ///
    /// - Parameters:
    ///   - role: The role of the texts to embed. For documents, all weights are read.
    ///   - compute: Returns the vector of ``EmbeddingProbe/text`` as a document.
    /// - Throws: `EmbedderError` with `.damagedModel`; the errors of `compute`.
    func beforeUse(as role: TextRole, _ compute: () async throws -> [Float]) async throws {
        let done = state.withLock { $0 }
        if role == .document, !done.hasCheckedBytes { try checkBytes() }
        guard !done.hasCheckedProbe else { return }
        let vector = try await compute()
        if let recorded = folder.storedRecord()?.probe(precision) {
            guard recorded.count == vector.count,
                innerProduct(normalized(recorded), normalized(vector)) >= minimumSimilarity
            else {
                throw EmbedderError(
                    .damagedModel,
                    "the model in \(folder.url.path) is damaged: the vector of a fixed text differs from the "
                        + "one that was recorded when the model was first used",
                    remedy: .installModel)
            }
        } else if var stored = folder.storedRecord(), stored.sha256 == record.sha256 {
            // The bytes are checked first, so that the vector of a damaged model is not recorded.
            try checkBytes()
            stored.setProbe(vector, precision)
            folder.store(stored)
        }
        state.withLock { $0.hasCheckedProbe = true }
    }

    /// Compares the weights in memory with their checksum.
    private func checkBytes() throws {
        guard !state.withLock({ $0.hasCheckedBytes }) else { return }
        if let crc32c = record.crc32c, CRC32C.checksum(weights.file.bytes) != crc32c {
            throw folder.changed(ModelRecord.weightsName)
        }
        state.withLock { $0.hasCheckedBytes = true }
    }

    /// Reads every byte of all files and compares them with the record.
    ///
    /// - Throws: `EmbedderError` with `.damagedModel`.
    func checkAllFiles() throws {
        let current = try ModelRecord.digests(in: folder)
        let recorded = record.files ?? [:]
        // Optional files can be added.
        if let name = recorded.keys.sorted().first(where: { recorded[$0] != current[$0] }) {
            throw folder.changed(name)
        }
        guard SHA256.hexadecimal(weights.file.bytes) == record.sha256 else {
            throw folder.changed(ModelRecord.weightsName)
        }
    }
}

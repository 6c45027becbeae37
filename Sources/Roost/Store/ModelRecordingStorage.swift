import Foundation
import RoostFiles
import RoostModel
import Synchronization

/// A decorator that records the model of each commit that writes vectors in the ``EmbeddingLog``.
struct ModelRecordingStorage<Base: StorageProvider>: CommitDecorator {
    let base: Base
    let log: EmbeddingLog
    let model: String
    let fingerprint: String
    private let recorded = Recorded()

    /// The identity of the log file when its last line contained the fingerprint. The copies of a storage
    /// share it.
    private final class Recorded: Sendable {
        let file = Mutex<FileIdentity?>(nil)
    }

    init(base: Base, log: EmbeddingLog, model: String, fingerprint: String) {
        self.base = base
        self.log = log
        self.model = model
        self.fingerprint = fingerprint
    }

    func commit(_ batch: WriteBatch) async throws -> Revision {
        if batch.upserts.contains(where: { !$0.embeddings.isEmpty }) { try await record() }
        return try await base.commit(batch)
    }

    /// Adds a line before a commit, unless the last line already names the model: a line without commits is
    /// harmless, but a commit without a line would be attributed to another model.
    private func record() async throws {
        let (log, model, fingerprint) = (log, model, fingerprint)
        if let file = recorded.file.withLock({ $0 }), file == log.identity { return }
        let revision = try await base.snapshot().stamp.revision
        try await BlockingWork.run { _ in try log.record(fingerprint, of: model, after: revision) }
        recorded.file.withLock { $0 = log.identity }
    }
}

extension StorageProvider {
    /// Returns a storage that records the files of a model with each commit of vectors.
    func recordingModel(_ embedder: any Embedder, in directory: URL) -> any StorageProvider {
        guard let fingerprint = embedder.fingerprint else { return self }
        return ModelRecordingStorage(
            base: self, log: EmbeddingLog(directory: directory), model: embedder.space.model,
            fingerprint: fingerprint)
    }
}

import Foundation
import RoostModel

/// Finds the original file of an entry.
struct OriginalLookup {
    let store: KnowledgeStore

    func document(of id: Entry.ID) async throws -> Data {
        let snapshot = try await store.storage.snapshot()
        guard let entry = try await snapshot.entries([id]).first else {
            throw RoostError(.notFound, "entry \(id.text) was not found")
        }
        guard let source = entry.source else {
            throw RoostError(.notFound, "entry \(id.text) has no source and therefore no original file")
        }
        let digest = try await snapshot.sources([source]).first?.documentDigest
        if let digest, let document = try await store.originals?.document(digest: digest) { return document }
        throw RoostError(
            .notFound,
            "the original file of entry \(id.text), \(SourceDraft.displayName(of: source)), "
                + "is not stored",
            remedy: .keepOriginals)
    }
}

import Foundation
import RoostModel

/// Finds entries whose vectors were computed while the files of the model differed from the present ones.
struct ModelInspection {
    /// The store's folder.
    let directory: URL
    /// The embedder of the store's embedding space.
    let embedder: any Embedder

    /// Returns the ids of the affected entries, by the fingerprint of the model that was used.
    ///
    /// Entries whose model is unknown, because an older version of Roost embedded them, are not returned.
    func entriesOfOtherModels(
        in snapshot: any StorageSnapshot
    ) async throws -> [String: [Entry.ID]] {
        let log = EmbeddingLog(directory: directory)
        let records = log.records
        guard let current = embedder.fingerprint, records.contains(where: { $0.fingerprint != current })
        else { return [:] }
        var found: [String: [Entry.ID]] = [:]
        for try await page in snapshot.entryPages() {
            let ids = page.entries.filter { !$0.embeddings.isEmpty }.map(\.id)
            for (id, revision) in try await snapshot.revisions(of: ids) {
                guard let used = log.fingerprint(at: revision, in: records), used != current else { continue }
                found[used, default: []].append(id)
            }
        }
        return found.mapValues { $0.sorted { $0.uuidString < $1.uuidString } }
    }

    /// Reads the model completely, and looks for entries that were embedded with other files of it.
    func findings(in snapshot: any StorageSnapshot) async throws -> [StorageFinding] {
        var findings: [StorageFinding] = []
        do {
            try await embedder.checkModel()
        } catch let error as EmbedderError where error.code == .damagedModel || error.code == .badAnswer {
            // Entries must not be compared with, or embedded again by, a damaged model.
            return [.damage("model \(embedder.space.model)", "is damaged: \(error.message)")]
        } catch let error as EmbedderError {
            return [.note("model \(embedder.space.model)", "could not be checked: \(error.message)")]
        }
        for (used, ids) in try await entriesOfOtherModels(in: snapshot).sorted(by: { $0.key < $1.key }) {
            findings.append(
                .damage(
                    "\(ids.count) entries",
                    "were embedded with other files of the model \(embedder.space.model) "
                        + "(\(used.prefix(12))) than the present ones "
                        + "(\((embedder.fingerprint ?? "").prefix(12)))",
                    remedy: "computes their vectors again"))
        }
        return findings
    }
}

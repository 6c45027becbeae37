import Foundation
import Roost
import RoostModel
import TestSupport
import Testing

/// The partition is determined by the texts alone.
@Suite(.temporaryFolders) struct ClusterIndependenceTests {
    /// Copies the notes to a new folder, ingests them in the given order, and returns the clusters as sets of
    /// texts.
    func clusters(reversed: Bool, seed: UInt64) async throws -> Set<Set<String>> {
        let folder = TemporaryFolder.unusedURL()
        try FileManager.default.copyItem(at: Fixtures.folder.appendingPathComponent("notes"), to: folder)
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let subjects = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil
        ).sorted { $0.path < $1.path }
        for subject in reversed ? subjects.reversed() : subjects where subject.hasDirectoryPath {
            try await store.ingest(folder: subject)
        }
        _ = try await store.recluster(seed: seed)
        var texts: [Entry.ID: String] = [:]
        for try await entry in store.entries() { texts[entry.id] = entry.content }
        var members: [Cluster.ID: Set<String>] = [:]
        for assignment in try await store.storage.snapshot().assignments(of: nil) {
            guard let cluster = assignment.cluster, let text = texts[assignment.entry] else { continue }
            members[cluster, default: []].insert(text)
        }
        return Set(members.values)
    }

    @Test func `folder, order of ingestion and seed do not change the clusters`() async throws {
        let first = try await clusters(reversed: false, seed: 1)
        #expect(first.count > 1)
        #expect(try await clusters(reversed: true, seed: 2) == first)
    }
}

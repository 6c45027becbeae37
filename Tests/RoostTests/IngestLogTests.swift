import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Roost

/// Tests of the write-ahead log of a database during an ingest.
@Suite(.temporaryFolders) struct IngestLogTests {
    @Test(arguments: [1, 4000]) func `the log stays short during an ingest`(sources: Int) async throws {
        let folder = TemporaryFolder.unusedURL()
        let store = try await KnowledgeStore.create(
            in: folder, embedder: LexicalEmbedder(),
            recording: UndoRecorder(directory: folder, command: "ingest"))
        let drafts = (0..<sources).map { source in
            SourceDraft(
                id: "\(source)", fingerprint: "1",
                entries: (0..<4000 / sources).map { number in
                    EntryDraft(key: "\(number)", content: "note \(number) of source \(source)")
                })
        }
        let sizes = Mutex<[Int]>([])
        let log = folder.appendingPathComponent("roost.sqlite-wal").path
        let options = IngestOptions { _ in
            let size = try? FileManager.default.attributesOfItem(atPath: log)[.size] as? Int
            sizes.withLock { $0.append(size ?? 0) }
        }
        #expect(try await store.ingest(drafts, options).new == 4000)
        let found = sizes.withLock(\.self)
        // A checkpoint follows a commit that makes the log longer than 8 MiB, and a commit adds about 2 MiB.
        #expect(found.contains { $0 > 1 << 20 }, "\(found)")
        #expect(found.allSatisfy { $0 < 16 << 20 }, "\(found)")
    }
}

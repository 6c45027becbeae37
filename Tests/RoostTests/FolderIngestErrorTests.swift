import Foundation
import Roost
import RoostModel
import Synchronization
import TestSupport
import Testing

/// A storage whose first snapshots cannot be taken.
private final class FailingStorage: StorageDecorator {
    let base = InMemoryStorageProvider()
    private let failures: Mutex<Int>

    init(failures: Int) { self.failures = Mutex(failures) }

    func snapshot() async throws -> any StorageSnapshot {
        let fails = failures.withLock { count in
            count -= 1
            return count >= 0
        }
        if fails { throw StorageError(.inputOutput, "cannot read the database") }
        return try await base.snapshot()
    }
}

/// Tests of the ingest of a folder when the storage fails.
@Suite(.temporaryFolders) struct FolderIngestErrorTests {
    private let folder = TemporaryFolder.unusedURL()

    @Test func `a fault of the storage is thrown, and no file is reported as unreadable`() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in ["a.md", "b.md"] {
            try Data("a swift over the roof".utf8).write(to: folder.appendingPathComponent(name))
        }
        let store = KnowledgeStore(storage: FailingStorage(failures: 1), embedder: LexicalEmbedder())
        let error = await #expect(throws: StorageError.self) { try await store.ingest(folder: folder) }
        #expect(error?.code == .inputOutput)
        // The next ingest reads all files.
        let report = try await store.ingest(folder: folder)
        #expect(report.new == 2 && report.skipped.isEmpty)
    }
}

import Foundation
import RoostTestKit
import TestSupport
import Testing

@testable import Roost

/// Tests of work records in the folder of a store.
@Suite(.temporaryFolders) struct FolderWorkRecordTests {
    /// A storage whose work records are files.
    private struct Storage: StorageDecorator {
        let base = InMemoryStorageProvider()
        let folder: URL
        var workRecords: (any WorkRecords)? { FolderWorkRecords(of: folder) }
    }

    private struct Fixture: StorageFixture {
        let level = StorageLevel.inMemory
        let folder: URL
        func open() async throws -> any StorageProvider { Storage(folder: folder) }
        func run(_ job: StorageJob) async throws {}
        func tearDown() async {}
    }

    @Test func `records in a folder obey the law`() async throws {
        let folder = try TemporaryFolder()
        try await StorageLaw.workRecordsAreKept.check(Fixture(folder: folder.url))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test func `damage and other files are noticed`() async throws {
        let folder = try TemporaryFolder()
        let records = FolderWorkRecords(of: folder.url)
        try await records.write(Data("contents".utf8), as: "a")
        let file = folder.url.appendingPathComponent("work/a")
        var bytes = try Data(contentsOf: file)
        bytes[5] ^= 1
        try bytes.write(to: file)
        let error = await #expect(throws: StorageError.self) { _ = try await records.read("a") }
        #expect(error?.code == .damaged)
        try Data().write(to: file)
        await #expect(throws: StorageError.self) { _ = try await records.read("a") }
        try Data().write(to: folder.url.appendingPathComponent("work/Other file"))
        #expect(try await records.names(withPrefix: "") == ["a"])
        #expect(try await records.read("../store") == nil)
    }

    @Test(arguments: [StoreManifest.Provider.sqlite, .json])
    func `workers share the folder of a store`(provider: StoreManifest.Provider) async throws {
        let folder = TemporaryFolder.unusedURL()
        let first = try await KnowledgeStore.create(
            in: folder, provider: provider, embedder: LexicalEmbedder())
        let drafts = (0..<120).map { EntryDraft(content: "\(SampleTexts.subjects[$0 % 4]) \($0)") }
        _ = try await first.ingest([SourceDraft(id: "s", fingerprint: "1", entries: drafts)])
        _ = try await first.planClusters(sample: 60)
        try await first.close()
        for index in 0..<2 {
            let worker = try await KnowledgeStore.open(in: folder) { _ in LexicalEmbedder() }
            try await worker.assignShard(index, of: 2)
            try await worker.close()
        }
        let last = try await KnowledgeStore.open(in: folder) { _ in LexicalEmbedder() }
        _ = try await last.finishClusters()
        #expect(try await last.storage.fetchClusters().reduce(0) { $0 + $1.members.count } == 120)
        #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("work").path))
        try await last.close()
    }
}

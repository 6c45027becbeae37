import Foundation
import Roost
import RoostTestKit
import Testing

// Tests of the two backends in the guide *Writing a storage provider*, with the laws of their levels.

struct NotesFixture: StorageFixture {
    let level = StorageLevel.simple
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("notes-\(UUID().uuidString)")

    func open() async throws -> any StorageProvider {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try NotesStorage(folder: folder)
    }

    func tearDown() async { try? FileManager.default.removeItem(at: folder) }
}

struct LedgerFixture: StorageFixture {
    let level = StorageLevel.durable
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ledger-\(UUID().uuidString)")

    func open() async throws -> any StorageProvider { try LedgerStorage(folder: folder) }

    func tearDown() async { try? FileManager.default.removeItem(at: folder) }
}

struct LedgerTests {
    @Test(arguments: StorageLaw.laws(upTo: .durable))
    func `the ledger satisfies the law`(law: StorageLaw) async throws { try await law.check(LedgerFixture()) }

    @Test(arguments: [1, 2, 3]) func `the ledger behaves like the reference`(seed: UInt64) async throws {
        try await StorageFuzzer(seed: seed).run { LedgerFixture() }
    }
}

struct StorageProviderTests {
    @Test(arguments: StorageLaw.laws(upTo: .simple))
    func `the small backend obeys the laws of its level`(law: StorageLaw) async throws {
        try await law.check(NotesFixture())
    }

    @Test func `an expectation is compared with the state of a backend`() throws {
        let (epoch, id) = (UUID(), UUID())
        func check(_ expectation: WriteBatch.Expectation) throws {
            try expectation.check(
                epoch: epoch, revision: Revision(rawValue: 7), clustersRevision: Revision(rawValue: 3)
            ) { $0 == id ? Revision(rawValue: 5) : nil }
        }
        try check(.init())
        try check(
            .init(
                clusters: Revision(rawValue: 3), entries: [id: Revision(rawValue: 5), UUID(): .zero],
                epoch: epoch, revision: Revision(rawValue: 7)))
        for expectation: WriteBatch.Expectation in [
            .init(clusters: Revision(rawValue: 2)), .init(entries: [id: .zero]),
            .init(entries: [UUID(): Revision(rawValue: 5)]), .init(epoch: UUID()),
            .init(revision: Revision(rawValue: 6)),
        ] {
            let error = #expect(throws: StorageError.self) { try check(expectation) }
            #expect(error?.code == .conflict)
        }
    }

    @Test func `a knowledge store works with a custom backend`() async throws {
        let fixture = LedgerFixture()
        let storage = try await fixture.open().logging()
        let store = KnowledgeStore(storage: storage, embedder: LexicalEmbedder())
        for text in ["a swift over the roof", "a loaf in the oven", "swifts in the evening"] {
            try await store.add(text)
        }
        let result = try await store.search("swift")
        #expect(result.hits.count == 2)
        #expect(result.hits.allSatisfy { $0.entry.content.contains("swift") })
        await fixture.tearDown()
    }

    /// Every line of the compiled example code must also be a line of the guide.
    @Test(arguments: ["NotesStorage"])
    func `the guide shows the compiled code`(name: String) throws {
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let top = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let guide = try String(
            contentsOf: top.appendingPathComponent("Documentation/Guides/WritingAStorageProvider.md"),
            encoding: .utf8)
        let shown = Set(guide.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
        let code = try String(contentsOf: here.appendingPathComponent("\(name).swift"), encoding: .utf8)
        for line in code.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            #expect(shown.contains(line), "\(name): \(line)")
        }
    }
}

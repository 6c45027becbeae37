import Foundation
import Roost
import TestSupport
import Testing

/// Tests that a damaged record of changes is never undone.
@Suite(.temporaryFolders) struct UndoRecordTests {
    /// Creates a store whose record has several commits, and returns the file of the record.
    private func store(in folder: URL) async throws -> (KnowledgeStore, URL) {
        let recorder = UndoRecorder(directory: folder, command: "add")
        let store = try await KnowledgeStore.create(
            at: folder, embedder: LexicalEmbedder(), recording: recorder)
        for word in ["swift", "stork", "boat"] { try await store.add("the \(word) is back") }
        return (store, folder.appendingPathComponent("undo.jsonl"))
    }

    private func expectDamaged(_ store: KnowledgeStore, _ change: String) async {
        let error = await #expect(throws: RoostError.self, "\(change)") {
            try await store.undo(isDryRun: true)
        }
        #expect(error?.code == .nothingToUndo, "\(change): \(error as Any)")
    }

    @Test func `a changed bit is detected`() async throws {
        let folder = try TemporaryFolder()
        let (store, file) = try await store(in: folder.url)
        #expect(try await store.undo(isDryRun: true).removed == 3)
        let intact = try Data(contentsOf: file)
        var generator = Seeded(state: 3)
        for _ in 0..<300 {
            var data = intact
            let offset = Int(generator.next() % UInt64(data.count))
            data[offset] ^= UInt8(1 << (generator.next() % 8))
            try data.write(to: file)
            await expectDamaged(store, "byte \(offset)")
        }
        try intact.write(to: file)
        #expect(try await store.undo().removed == 3)
        try await store.close()
    }

    @Test func `a missing line or part of one is detected`() async throws {
        let folder = try TemporaryFolder()
        let (store, file) = try await store(in: folder.url)
        let intact = try Data(contentsOf: file)
        let lines = intact.split(separator: UInt8(ascii: "\n")).map { $0 + Data("\n".utf8) }
        #expect(lines.count == 3)
        for missing in 0..<3 {
            try Data(lines.enumerated().filter { $0.offset != missing }.flatMap(\.element)).write(to: file)
            await expectDamaged(store, "line \(missing)")
        }
        for length in stride(from: 1, to: intact.count, by: 17) {
            try intact.prefix(length).write(to: file)
            await expectDamaged(store, "\(length) bytes")
        }
        try intact.dropLast().write(to: file)
        await expectDamaged(store, "the last line feed")
        try await store.close()
    }

    @Test func `a record that cannot be read is not reported as missing`() async throws {
        let folder = try TemporaryFolder()
        let (store, file) = try await store(in: folder.url)
        try FileManager.default.removeItem(at: file)
        var error = await #expect(throws: RoostError.self) { try await store.undo() }
        #expect(error?.code == .nothingToUndo)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        error = await #expect(throws: RoostError.self) { try await store.undo() }
        #expect(error?.code == .noInput && error?.message.contains("Is a directory") == true)
        try await store.close()
    }
}

import Foundation
import RoostFiles
import RoostModel
import TestSupport
import Testing

@testable import RoostStorage

/// Numbers in the record of a generation, which has a valid checksum in a manipulated store, cause errors and
/// never a crash.
@Suite(.temporaryFolders) struct GenerationFuzzTests {
    private static func sealed(_ record: Data) -> Data {
        Data("{\"record\":".utf8) + record
            + Data(",\"sha256\":\"\(SHA256.hexadecimal(record))\"}\n".utf8)
    }

    private func makeStore() async throws -> (folder: URL, record: Data) {
        let folder = try TemporaryFolder().url
        let store = try LocalStorageProvider(directory: folder)
        try await store.saveEntries((0..<5).map { Entry(content: "entry \($0)", embeddings: [1, 0]) })
        try await store.compact()
        try await store.close()
        let current = try Data(contentsOf: folder.appendingPathComponent("CURRENT"))
        let generation = try Generation.decoded(current, path: "CURRENT")
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return (folder, try encoder.encode(generation))
    }

    @Test func `mutated records of a generation are read or refused`() async throws {
        let (folder, record) = try await makeStore()
        let current = folder.appendingPathComponent("CURRENT")
        var generator = Seeded(state: 41)
        var refused = 0
        for _ in 0..<JSONMutator.count(default: 400) {
            try Self.sealed(JSONMutator.mutated(record, using: &generator)).write(to: current)
            do {
                let store = try LocalStorageProvider(directory: folder)
                _ = try await store.snapshot().stamp
                try await store.close()
            } catch is StorageError {
                refused += 1
            }
        }
        #expect(refused > 0)
    }

    @Test(arguments: [
        "\"size\":-9223372036854775808", "\"size\":9223372036854775807", "\"size\":-1",
    ])
    func `a length out of range is reported as damage`(size: String) async throws {
        let (folder, record) = try await makeStore()
        let text = String(decoding: record, as: UTF8.self)
        let changed = text.replacingOccurrences(
            of: "\"size\":[0-9]+", with: size, options: .regularExpression)
        #expect(changed != text)
        try Self.sealed(Data(changed.utf8)).write(to: folder.appendingPathComponent("CURRENT"))
        let error = await #expect(throws: StorageError.self) {
            _ = try await LocalStorageProvider(directory: folder).snapshot()
        }
        #expect(error?.code == .damaged)
    }

    @Test func `numbers of a foreign file that would overflow later are refused`() async throws {
        let id = UUID().uuidString
        let entry = "\"id\":\"\(id)\",\"content\":\"one\",\"embeddings\":[1]"
        for text in [
            "{\(entry),\"passages\":[{\"range\":[-9223372036854775808,9223372036854775807],\"tokens\":1}]}",
            "{\(entry),\"passages\":[{\"range\":[0,9223372036854775807],\"tokens\":1}]}",
            "{\(entry),\"location\":{\"line\":9223372036854775807}}", "{\(entry),\"createdAt\":1e300}",
        ] {
            let folder = try TemporaryFolder().url
            try "[\(text)]".write(
                to: folder.appendingPathComponent("entries.json"), atomically: true, encoding: .utf8)
            await #expect(throws: StorageError.self, "\(text)") {
                _ = try await LocalStorageProvider(directory: folder).snapshot()
            }
        }
    }
}

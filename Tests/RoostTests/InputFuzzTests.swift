import Foundation
import TestSupport
import Testing

@testable import Roost

/// Fuzz tests of the readers of external input: mutated input gives a result or an error, never a crash.
@Suite(.temporaryFolders) struct InputFuzzTests {
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    private func mutated(_ text: String, _ generator: inout Seeded) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0...Int.random(in: 0..<4, using: &generator) where !bytes.isEmpty {
            let offset = Int.random(in: 0..<bytes.count, using: &generator)
            let end = min(bytes.count, offset + Int.random(in: 0..<12, using: &generator))
            switch Int.random(in: 0..<7, using: &generator) {
            case 0: bytes[offset] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.removeSubrange(offset..<end)
            case 2: bytes.insert(contentsOf: bytes[offset..<end], at: offset)
            case 3: bytes.insert(contentsOf: "1e999".utf8, at: offset)
            case 4: bytes.insert(contentsOf: [UInt8](repeating: UInt8(ascii: "["), count: 400), at: offset)
            case 5: bytes.insert(contentsOf: "\\ud800\"\r\n".utf8, at: offset)
            default: bytes.removeLast(bytes.count - offset)
            }
        }
        return bytes
    }

    @Test func `mutated manifests are read or refused`() throws {
        let folder = TemporaryFolder.unusedURL()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("store.json")
        let manifest = StoreManifest(provider: .json, space: LexicalEmbedder().space, maximumSize: 5)
        let text = String(decoding: try JSONEncoder().encode(manifest), as: UTF8.self)
        var generator = Seeded(state: 3)
        var refused = 0
        for _ in 0..<1500 {
            try Data(mutated(text, &generator)).write(to: file)
            do {
                _ = try StoreManifest.read(in: folder)
            } catch let error as RoostError {
                #expect([.damagedManifest, .newerFormat].contains(error.code))
                refused += 1
            }
        }
        #expect(refused > 700)
    }

    @Test func `mutated JSON Lines, tables and exports are read or refused`() async throws {
        let lines =
            "{\"id\":1,\"text\":\"é \\\"x\\\"\",\"tags\":[\"a\"],\"deep\":{\"a\":[1,null]}}\n{\"text\":\"two\"}\n"
        let table = "id,text,note\n1,\"a, \"\"b\"\"\nc\",x\n2,d,\n"
        var archive = Data()
        let store = KnowledgeStore(
            storage: InMemoryStorageProvider(), embedder: LexicalEmbedder(dimension: 16))
        _ = try await store.add("one", tags: ["t"])
        _ = try await store.add("two", metadata: ["n": 1])
        try await store.exportEntries(.jsonl, withEmbeddings: true) { archive += $0 }
        let export = String(decoding: archive, as: UTF8.self)
        var generator = Seeded(state: 7)
        var (refused, accepted) = (0, 0)
        func count(_ body: () throws -> Void) rethrows {
            do {
                try body()
                accepted += 1
            } catch let error as RoostError {
                #expect(!error.message.isEmpty)
                refused += 1
            }
        }
        for _ in 0..<1500 {
            if let text = String(validating: mutated(lines, &generator), as: UTF8.self) {
                try count {
                    let reader = RowReader(textColumn: nil, idColumn: nil, name: "lines")
                    let rows = try reader.jsonLines(text)
                    #expect(rows.skipped.allSatisfy { !$0.reason.isEmpty })
                }
            }
            if let text = String(validating: mutated(table, &generator), as: UTF8.self) {
                try count { _ = try DelimitedText(separator: ",").rows(of: text, name: "table") }
            }
            try count { try KnowledgeStore.checkImport(Data(mutated(export, &generator)), name: "export") }
        }
        #expect(refused > 1000 && accepted > 500, "\(refused) \(accepted)")
    }
}

import Foundation
import TestSupport
import Testing

@testable import Roost

/// Fuzz tests of the readers of external input: mutated input gives a result or an error, never a crash.
///
/// As in `DocumentFuzzTests`, `ROOST_FUZZ_FILES` sets the number of mutations of each input (default: 1,500),
/// and `ROOST_FUZZ_SECONDS` the maximum time for each of them (default: 600). Another value of
/// `ROOST_FUZZ_FIRST` (default: 0) gives other mutations, so that several processes can share a large number.
@Suite(.temporaryFolders) struct InputFuzzTests {
    private static let count = setting("ROOST_FUZZ_FILES") ?? 1500
    private static let first = setting("ROOST_FUZZ_FIRST") ?? 0
    private static let maximumTime = Duration.seconds(setting("ROOST_FUZZ_SECONDS") ?? 600)

    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// Whether the mutations begin with the 1,500 for which the number of refused ones is known.
    private static var isCountRelevant: Bool { count >= 1500 && first == 0 }

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

    /// Returns a generator for one of the tests.
    private func seeded(_ state: UInt64) -> Seeded {
        Seeded(state: state &+ UInt64(truncatingIfNeeded: Self.first))
    }

    /// Runs a check of a mutation, and fails if it takes too long.
    private func timed(_ number: Int, _ check: () throws -> Void) throws {
        let start = ContinuousClock.now
        try check()
        try #require(ContinuousClock.now - start < Self.maximumTime, "mutation \(number)")
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

    @Test func `mutated JSON Lines, tables and exports are read or refused`() async throws {
        let lines =
            "{\"id\":1,\"text\":\"é \\\"x\\\"\",\"tags\":[\"a\"],\"deep\":{\"a\":[1,null]}}\n{\"text\":\"two\"}\n"
        let table = "id,text,note\n1,\"a, \"\"b\"\"\nc\",x\n2,d,\n"
        var archive = Data()
        let store = KnowledgeStore(
            storage: InMemoryStorageProvider(), embedder: LexicalEmbedder(dimension: 16))
        _ = try await store.add("one", tags: ["t"])
        _ = try await store.add("two", metadata: ["n": 1])
        try await store.exportEntries(withEmbeddings: true) { archive += $0 }
        let export = String(decoding: archive, as: UTF8.self)
        var generator = seeded(7)
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
        for number in 0..<Self.count {
            if let text = String(validating: mutated(lines, &generator), as: UTF8.self) {
                try timed(number) {
                    try count {
                        let reader = RowReader(textColumn: nil, idColumn: nil, name: "lines")
                        let rows = try reader.jsonLines(text)
                        #expect(rows.skipped.allSatisfy { !$0.reason.isEmpty })
                    }
                }
            }
            if let text = String(validating: mutated(table, &generator), as: UTF8.self) {
                let tabs = text.replacingOccurrences(of: ",", with: "\t")
                try timed(number) {
                    try count { _ = try DelimitedText(separator: ",").rows(of: text, name: "table") }
                    try count { _ = try DelimitedText(separator: "\t").rows(of: tabs, name: "table") }
                }
            }
            let archive = Data(mutated(export, &generator))
            try timed(number) { try count { _ = try EntryArchive(archive, name: "export") } }
        }
        #expect(refused > 1000 && accepted > 500 || !Self.isCountRelevant, "\(refused) \(accepted)")
    }
}

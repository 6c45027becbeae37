import Testing

@testable import Roost

/// Tests of the names of folders that contribute to labels.
@Suite struct FolderNamesTests {
    @Test func `names that more than half of the files share are common`() async throws {
        let storage = InMemoryStorageProvider()
        for (number, folder) in ["birds", "birds", "boats", "boats", "bread"].enumerated() {
            try await storage.saveEntry(
                Entry(
                    content: "text \(number)", embeddings: [1],
                    source: "file:///home/ana/vault/\(folder)/\(number).md"))
        }
        for number in 0..<20 {
            try await storage.saveEntry(
                Entry(content: "message \(number)", embeddings: [1], source: "chat:\(number)/x"))
        }
        #expect(try await FolderNames.common(in: storage.snapshot()) == ["vault"])
    }

    @Test func `the names are those of the two innermost folders`() {
        #expect(FolderNames.names(ofSource: "file:///a/b%20c/d/e.md") == ["b c", "d"])
        #expect(FolderNames.names(ofSource: "https://example.org/a/b") == [])
        #expect(FolderNames.names(ofSource: "stdin") == [])
    }
}

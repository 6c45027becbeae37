import Foundation
import TestSupport
import Testing

@testable import Roost

/// Tests of the labels of clusters of notes with badges, addresses and footers.
@Suite(.temporaryFolders) struct VaultLabelTests {
    private static let subjects = [
        ["swift", "nest", "egg", "feather", "flight"], ["dough", "oven", "flour", "yeast", "crust"],
        ["comet", "orbit", "telescope", "planet", "lens"], ["hedge", "spade", "compost", "seedling", "bed"],
    ]

    private func labels(of folder: URL) async throws -> [String] {
        let store = try await KnowledgeStore.create(
            at: TemporaryFolder.unusedURL(), embedder: LexicalEmbedder())
        _ = try await store.ingest(folder: folder)
        _ = try await store.recluster()
        return try await store.storage.fetchClusters().map(\.label)
    }

    private func words(of label: String) -> [String] {
        label.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    @Test func `labels of the sample vault contain no addresses and no hexadecimal numbers`() async throws {
        let labels = try await labels(of: Fixtures.folder.appendingPathComponent("vault"))
        #expect(labels.count > 1)
        let markup: Set<String> = ["http", "https", "www", "shields", "badge", "img", "svg", "png", "html"]
        for label in labels {
            let words = words(of: label)
            #expect(markup.isDisjoint(with: words), "\(label)")
            let hexadecimal = words.filter { word in
                word.count >= 5 && word.allSatisfy(\.isHexDigit) && word.contains(where: \.isNumber)
            }
            #expect(hexadecimal.isEmpty, "\(label)")
        }
    }

    /// The words of each subject that occur only in hidden parts.
    private static let hiddenWords = ["narwhal", "wombat", "meerkat", "capybara"]

    /// Returns a note in which a word of its subject occurs only in parts that are not shown as text.
    private static func noteWithHiddenWords(_ number: Int) -> String {
        let (words, hidden) = (subjects[number % 4], hiddenWords[number % 4])
        let sentences = (0..<6).map { line in
            "The \(words[(number + line) % 5]) and the \(words[(number / 3 + line) % 5]) of day \(number)."
        }
        return """
            ---
            area: \(hidden) \(number)
            ---
            # Day \(number)

            \(sentences.joined(separator: "\n"))
            %% \(hidden) \(number) %%
            <!-- \(hidden) \(number) -->

            """
    }

    /// The same words are found in plain text, which has no hidden parts.
    @Test(arguments: [("md", false), ("txt", true)])
    func `words of hidden parts are stored, but neither found nor used for labels`(
        fileExtension: String, isFound: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        for number in 0..<80 {
            try Data(Self.noteWithHiddenWords(number).utf8).write(
                to: folder.url.appendingPathComponent("note \(number).\(fileExtension)"))
        }
        let store = try await KnowledgeStore.create(
            at: TemporaryFolder.unusedURL(), embedder: LexicalEmbedder())
        #expect(try await store.ingest(folder: folder.url).new == 80)
        for word in Self.hiddenWords {
            var search = EntrySearch(word)
            search.mode = .text
            #expect(try await store.search(search).hits.isEmpty == !isFound, "\(word)")
        }
        let contents = try await store.storage.fetchEntries().map(\.content)
        for word in Self.hiddenWords { #expect(contents.count { $0.contains("%% \(word)") } == 20) }
        guard !isFound else { return }
        let clusters = try await store.recluster().clusters
        #expect(clusters.count > 1)
        for cluster in clusters {
            let shown = words(of: ([cluster.label] + cluster.keywords).joined(separator: " "))
            #expect(Set(shown).isDisjoint(with: Self.hiddenWords), "\(shown)")
        }
    }
}

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

import Foundation
import Roost
import TestSupport
import Testing

/// Tests of the texts that are embedded for the passages of long documents.
@Suite(.temporaryFolders) struct EmbeddedTextTests {
    private let folder = TemporaryFolder.unusedURL()
    private let embedder = RecordingEmbedder(maximumTokens: 254)

    /// Ingests a file into a new store.
    private func ingest(_ text: String, as name: String) async throws -> KnowledgeStore {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        let store = try await KnowledgeStore.create(at: TemporaryFolder.unusedURL(), embedder: embedder)
        // A new store embeds a text that identifies the model.
        _ = embedder.takeTexts()
        #expect(try await store.ingest(folder: folder).new == 1)
        return store
    }

    private func words(_ word: String, _ count: Int) -> String {
        Array(repeating: word, count: count).joined(separator: " ")
    }

    @Test func `the headings above a passage of Markdown are embedded with it`() async throws {
        let text = """
            # Birds

            \(words("plover", 190))

            ## Swifts

            ### Nests

            \(words("roof", 150))

            ## Herons

            \(words("pond", 250))

            """
        _ = try await ingest(text, as: "birds.md")
        let texts = embedder.takeTexts()
        #expect(texts.count == 4)
        for (beginning, word) in [
            ("# Birds\n", "plover"), ("Birds > Swifts\n### Nests\n", "roof"), ("Birds\n## Herons\n", "pond"),
            ("Birds > Herons\npond", "pond"),
        ] { #expect(texts.contains { $0.hasPrefix(beginning) && $0.contains(word) }, "\(beginning)") }
    }

    @Test func `the file and the headings above a passage of code are embedded with it`() async throws {
        func lines(_ name: String, _ count: Int) -> String {
            (0..<count).map { "        let \(name)\($0) = \($0)\n" }.joined()
        }
        let code = """
            import Foundation

            /// A barrel under the gutter.
            struct Barrel {
                /// Opens the sluice for the tomatoes.
                func water() {
                    // A kestrel hovers over the field.
            \(lines("value", 80))    }

                /// Cleans the lid against mosquitoes.
                func clean() {
                    // A wren nests below it.
            \(lines("part", 40))    }
            }

            """
        let store = try await ingest(code, as: "barrel.swift")
        let texts = embedder.takeTexts()
        #expect(texts.count == 3)
        for (beginning, part) in [
            ("barrel.swift\nimport Foundation\n", "the sluice for the tomatoes.\n    func water() {"),
            ("barrel.swift > struct Barrel\n", "let value79 = 79\n"),
            ("barrel.swift > struct Barrel\n", "against mosquitoes.\n    func clean() {"),
        ] { #expect(texts.contains { $0.hasPrefix(beginning) && $0.contains(part) }, "\(beginning)") }
        // Words of comments and of comments for documentation lead to the passage of the symbol.
        for (word, symbol) in [
            ("sluice", "func water()"), ("kestrel", "func water()"), ("mosquitoes", "func clean()"),
            ("wren", "func clean()"),
        ] {
            let hit = try #require(try await store.search(word).hits.first, "\(word)")
            #expect(hit.entry.text(of: hit.passage)?.contains(symbol) == true, "\(word)")
        }
        let hit = try #require(try await store.search("mosquitoes").hits.first)
        #expect(hit.location.headings == ["struct Barrel", "func clean()"])
    }

    @Test func `no passage begins or ends inside a code block or a row of a table`() async throws {
        let lines = Array(repeating: words("let", 9), count: 20).joined(separator: "\n")
        let code = "```swift\n\(lines)\n```"
        let rows = (0..<12).map { "| r\($0) | \(words("row\($0)", 60)) |" }
        let text = """
            # Barrels

            \(words("before", 100)).

            \(code)

            \(words("after", 250)).

            | name | text |
            |---|---|
            \(rows.joined(separator: "\n"))

            \(words("end", 100)).

            """
        let store = try await ingest(text, as: "barrels.md")
        var passages: [Range<Int>] = []
        for try await entry in store.entries() { passages += entry.passages.map(\.utf8Range) }
        #expect(passages.count > 5)
        for block in [code] + rows {
            let range = try #require(text.firstRange(of: block))
            let start = text.utf8.distance(from: text.startIndex, to: range.lowerBound)
            let bytes = start..<start + block.utf8.count
            #expect(passages.contains { $0.lowerBound <= start && $0.upperBound >= bytes.upperBound })
            for bound in passages.flatMap({ [$0.lowerBound, $0.upperBound] }) {
                #expect(bound <= bytes.lowerBound || bound >= bytes.upperBound, "\(bound) in \(block)")
            }
        }
    }
}

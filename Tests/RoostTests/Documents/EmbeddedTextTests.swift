import Foundation
import RoostDocuments
import RoostModel
import TestSupport
import Testing

@testable import Roost

/// Tests of the texts that are embedded for the passages of long documents.
@Suite(.temporaryFolders) struct EmbeddedTextTests {
    private let folder = TemporaryFolder.unusedURL()
    private let embedder = RecordingEmbedder(maximumTokens: 254)

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

@Suite struct TextTreatmentTests {
    /// A text with hidden parts at the beginning, next to each other, in words and at the end.
    private let treatment = Self.treatment(
        """
        <!-- a --> <!-- b -->
        # Swifts <!-- c -->

        They sl<!-- d -->eep <!-- e --><!-- f --> on the <!-- g -->wing.

        <!-- h -->

        ## Nests

        Under roofs.<!-- i -->

        """)

    private static func treatment(_ text: String) -> TextTreatment {
        TextTreatment(of: Entry(content: text, structure: TextStructure(of: text, format: .markdown)))
    }

    @Test func `every range has the visible text and bounds that its bytes have`() {
        let utf8 = Array(treatment.content.utf8)
        var isHidden = utf8.map { _ in false }
        for part in treatment.structure.hiddenParts { for byte in part.range { isHidden[byte] = true } }
        #expect(isHidden.contains(true))
        for lower in utf8.indices {
            for upper in lower...utf8.count {
                let range = lower..<upper
                let visible = range.filter { !isHidden[$0] }
                let text = String(decoding: visible.map { utf8[$0] }, as: UTF8.self)
                let found = treatment.visibleText(in: range)
                // A space separates words that only a comment separates.
                #expect(found.filter { $0 != " " } == text.filter { $0 != " " }, "\(range)")
                let characters = visible.filter { utf8[$0] != 32 && utf8[$0] != 10 }
                let bounds = characters.first.map { $0..<(characters.last ?? $0) + 1 }
                #expect(treatment.visibleBounds(of: range) == bounds, "\(range)")
            }
        }
    }

    @Test func `a passage has the headings above it, without the one that it contains`() throws {
        func headings(above text: String) throws -> [String] {
            let start = try #require(treatment.content.firstRange(of: text)).lowerBound
            let byte = treatment.content.utf8.distance(from: treatment.content.startIndex, to: start)
            return treatment.headings(above: byte..<treatment.content.utf8.count)
        }
        #expect(try headings(above: "# Swifts").isEmpty)
        #expect(try headings(above: "They") == ["Swifts"])
        #expect(try headings(above: "wing") == ["Swifts"])
        #expect(try headings(above: "## Nests") == ["Swifts"])
        #expect(try headings(above: "Under") == ["Swifts", "Nests"])
    }
}

@Suite(.temporaryFolders) struct EntryLocationStorageTests {
    private func write(_ text: String, _ name: String) throws -> URL {
        let folder = TemporaryFolder.unusedURL()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file
    }

    @Test func `readers record the lines of rows and of whole files`() async throws {
        let rows = try await RecordReader().read(
            try write("{\"text\": \"a\"}\r\n\r\n{\"text\": \"b\\nc\"}\n", "rows.jsonl"))
        #expect(
            rows.entries.map(\.sourceLocation) == [
                EntryLocation(line: 1, lastLine: 1), EntryLocation(line: 3, lastLine: 3),
            ])
        let table = try await RecordReader().read(
            try write("text,n\r\n\"one\r\ntwo\",1\r\n\r\nthree,2", "table.csv"))
        #expect(
            table.entries.map(\.sourceLocation) == [
                EntryLocation(line: 2, lastLine: 3), EntryLocation(line: 5, lastLine: 5),
            ])
        let note = try await RecordReader().read(try write("# A\n", "note.md"))
        #expect(note.entries.map(\.sourceLocation) == [EntryLocation(line: 1)])
    }

    private func draft(_ fingerprint: String, lines: [Int?]) -> SourceDraft {
        SourceDraft(
            id: "file:///rows.jsonl", fingerprint: fingerprint,
            entries: lines.enumerated().map { number, line in
                EntryDraft(
                    key: "id:\(number)", content: "row \(number)",
                    sourceLocation: line.map { EntryLocation(line: $0, lastLine: $0) })
            })
    }

    @Test(arguments: [StoreManifest.Provider.sqlite, .json])
    func `moved rows keep their vectors and dates`(provider: StoreManifest.Provider) async throws {
        let folder = TemporaryFolder.unusedURL()
        let store = try await KnowledgeStore.create(
            at: folder, provider: provider, embedder: LexicalEmbedder())
        // As in a store of an earlier version, the lines are unknown.
        _ = try await store.ingest([draft("1", lines: [nil, nil])])
        let before = try await store.storage.fetchEntries()
        let report = try await store.ingest([draft("2", lines: [4, 9])])
        #expect(report.unchanged == 2 && report.updated == 0 && report.new == 0)
        var expected = before
        expected[0].location = EntryLocation(line: 4, lastLine: 4)
        expected[1].location = EntryLocation(line: 9, lastLine: 9)
        #expect(try await store.storage.fetchEntries() == expected)
        let revision = try await store.storage.snapshot().stamp.revision
        #expect(try await store.ingest([draft("2", lines: [4, 9])]).unchanged == 2)
        #expect(try await store.storage.snapshot().stamp.revision == revision)
        try await store.close()
        let again = try await KnowledgeStore.open(at: folder) { _ in LexicalEmbedder() }
        #expect(try await again.storage.fetchEntries() == expected)
        let hit = try #require(try await again.search("row").hits.first)
        #expect([4, 9].contains(hit.location.line) && hit.location.source == "file:///rows.jsonl")
        try await again.close()
    }

    @Test func `a change of both metadata and location is an update`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        _ = try await store.ingest([draft("1", lines: [1])])
        var changed = draft("2", lines: [2])
        changed.entries[0].metadata = ["a": 1]
        #expect(try await store.ingest([changed]).updated == 1)
        #expect(try await store.storage.fetchEntries()[0].location?.line == 2)
    }

    @Test func `an export and an import preserve locations`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        _ = try await store.ingest([draft("1", lines: [7])])
        var data = Data()
        try await store.exportEntries(withEmbeddings: false) { data += $0 }
        let copy = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        _ = try await copy.importEntries(EntryArchive(data, name: "export"))
        #expect(try await copy.storage.fetchEntries()[0].location == EntryLocation(line: 7, lastLine: 7))
    }
}

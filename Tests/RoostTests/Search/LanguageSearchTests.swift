import Foundation
import RoostText
import TestSupport
import Testing

@testable import Roost

/// Searches by words in several languages, over notes written for this project.
@Suite(.temporaryFolders) struct LanguageSearchTests {
    private struct Notes: Decodable {
        struct Query: Decodable {
            var query: String
            var note: Int
        }

        var language: String
        var notes: [String]
        var queries: [Query]
    }

    private static let languages = ["arabic", "chinese", "french", "german", "japanese", "russian"]

    private static func notes(_ language: String) throws -> Notes {
        let file = Fixtures.folder.appendingPathComponent("Languages/\(language).json")
        return try JSONDecoder().decode(Notes.self, from: Data(contentsOf: file))
    }

    private func store(_ languages: [String]) async throws -> KnowledgeStore {
        let store = try await KnowledgeStore.create(
            at: TemporaryFolder.unusedURL(), provider: .json, embedder: LexicalEmbedder())
        for language in languages {
            for note in try Self.notes(language).notes { try await store.add(note) }
        }
        return store
    }

    private func expectRightNotes(_ language: String, in store: KnowledgeStore) async throws {
        let notes = try Self.notes(language)
        #expect(notes.notes.count == 10 && notes.queries.count == 10)
        for query in notes.queries {
            var search = EntrySearch(query.query)
            search.mode = .text
            let hits = try await store.search(search).hits
            #expect(hits.first?.entry.content == notes.notes[query.note], "\(language): \(query.query)")
        }
    }

    @Test(arguments: languages)
    func `a search by words finds the note of its language first`(language: String) async throws {
        try await expectRightNotes(language, in: try await store([language]))
    }

    @Test func `a search by words finds the right notes among those of all languages`() async throws {
        let store = try await store(Self.languages)
        for language in Self.languages { try await expectRightNotes(language, in: store) }
    }

    /// A model whose vocabulary has the words of some languages.
    private struct WordModel: Embedder {
        let words: Set<String>
        var space: EmbeddingSpace { LexicalEmbedder().space }
        var maximumTokens: Int? { nil }

        func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
            try await LexicalEmbedder().embed(texts, as: role)
        }
        func vocabularyContains(_ word: String) -> Bool { words.contains(word) }
    }

    @Test func `an ingest counts languages, and the vocabulary shows whether a model reads only English`()
        async throws
    {
        let texts = try ["german", "russian", "japanese"].flatMap { try Self.notes($0).notes } + ["Zu kurz."]
        let drafts = texts.enumerated().map { EntryDraft(key: "\($0)", content: $1) }
        let report = try await store([]).ingest([SourceDraft(id: "s", fingerprint: "1", entries: drafts)])
        #expect(report.languages == ["german": 10, "russian": 10, "other": 10])
        let french = StopWords.byLanguage[.french] ?? []
        #expect(WordModel(words: StopWords.english).readsOnlyEnglish)
        #expect(!WordModel(words: StopWords.english.union(french)).readsOnlyEnglish)
    }

    @Test func `identifiers, symbols and emoji are found verbatim and by their parts`() async throws {
        let store = try await store([])
        let notes = [
            "Use git rebase --onto to move a branch onto another base.",
            "Moving onto the next topic, we rebase the plan.",
            "URLs are loaded with NSURLSession in the background.", "The session about loading ended early.",
            "Compile it with g++ because C++ needs the standard library.", "Vitamin C is in fruit.",
            "kubectl_get lists pods in a namespace.", "kubectl can get and describe pods.",
            "Party time 🎉 for everyone", "中文笔记，没有表情", "Put build products into .gitignore first.",
        ]
        for note in notes { try await store.add(note) }
        for (query, note) in [
            ("--onto", 0), ("NSURLSession", 2), ("C++", 4), ("kubectl_get", 6), ("🎉", 8), (".gitignore", 10),
            ("表情", 9),
        ] {
            var search = EntrySearch(query)
            search.mode = .text
            let hits = try await store.search(search).hits
            #expect(hits.first?.entry.content == notes[note], "\(query)")
        }
        for (query, other) in [("kubectl_get", 7)] {
            var search = EntrySearch(query)
            search.mode = .text
            let found = try await store.search(search).hits.map(\.entry.content)
            #expect(found.contains(notes[other]), "\(query) matches its parts")
        }
        var search = EntrySearch("session")
        search.mode = .text
        let sessions = try await store.search(search).hits.map(\.entry.content)
        #expect(sessions == [notes[3], notes[2]], "the word ranks above the part of an identifier")
    }

    @Test func `a misspelled query is corrected unless it asks for exact words`() async throws {
        let store = try await store([])
        try await store.add("How to restart a deployment in kubernetes")
        try await store.add("Sourdough bread needs a hot oven")
        var search = EntrySearch("kuberentes")
        search.mode = .text
        let corrected = try await store.search(search)
        #expect(corrected.hits.map(\.entry.content) == ["How to restart a deployment in kubernetes"])
        #expect(corrected.corrections == [TextCorrection(original: "kuberentes", corrected: "kubernetes")])
        let snippet = corrected.snippet(of: try #require(corrected.hits.first))
        #expect(snippet.highlights.count == 1)
        search.usesExactWords = true
        let exact = try await store.search(search)
        #expect(exact.hits.isEmpty && exact.corrections.isEmpty)
    }
}

/// Tests that texts and queries that no person would write lead to a result or a clear error in bounded time.
@Suite(.temporaryFolders) struct OddTextSearchTests {
    /// `ingest/blns/blns.txt` in the folder that the environment variable `ROOST_EVAL` names: strings that
    /// often cause errors, one per line.
    private static let naughtyStrings: URL? = ProcessInfo.processInfo.environment["ROOST_EVAL"]
        .map { URL(fileURLWithPath: $0).appendingPathComponent("ingest/blns/blns.txt") }
        .flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil }

    private func store(_ texts: [String]) async throws -> KnowledgeStore {
        let store = try await KnowledgeStore.create(
            at: TemporaryFolder.unusedURL(), provider: .json, embedder: LexicalEmbedder())
        let drafts = texts.enumerated().map { EntryDraft(key: "\($0)", content: $1) }
        _ = try await store.ingest([SourceDraft(id: "odd", fingerprint: "1", entries: drafts)])
        return store
    }

    private func result(_ query: String, in store: KnowledgeStore, _ mode: SearchMode) async throws
        -> QueryResult?
    {
        var search = EntrySearch(query, limit: 20)
        search.mode = mode
        do {
            return try await store.search(search)
        } catch let error as RoostError {
            #expect(error.code == .badInput && !error.message.isEmpty, "\(query.debugDescription)")
            return nil
        }
    }

    @Test(
        .enabled(
            if: naughtyStrings != nil, "no ingest/blns/blns.txt in the folder that ROOST_EVAL names"))
    func `every line of the list of naughty strings is a text and a query`() async throws {
        let file = try #require(Self.naughtyStrings)
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
            .filter { !$0.allSatisfy(\.isWhitespace) }
        let store = try await store(Array(Set(lines)).sorted())
        let count = try await store.storage.snapshot().stamp.entryCount
        #expect(count > 400)
        for line in lines {
            guard let result = try await result(line, in: store, .text) else { continue }
            for hit in result.hits.prefix(2) {
                let snippet = result.snippet(of: hit)
                #expect(snippet.utf8Range.upperBound <= hit.entry.content.utf8.count)
            }
        }
    }

    @Test(arguments: ["aB", "a.", "知", "e\u{301}", "👩\u{200D}", "l'", "-", "🇩"])
    func `a long text without spaces is a text and a query`(unit: String) async throws {
        let text = String(repeating: unit, count: 4000)
        let store = try await store([text, "an ordinary note"])
        for query in [String(text.prefix(100)), text] { _ = try await result(query, in: store, .hybrid) }
        let hits = try await result("ordinary note", in: store, .text)?.hits
        #expect(hits?.first?.entry.content == "an ordinary note")
    }

    @Test func `marks and invalid sequences alone are no words`() async throws {
        let store = try await store([
            "a note", "\u{301}\u{301} \u{94D}", "\u{FFFD}\u{FFFD} \u{200D}", "another",
        ])
        for query in ["\u{301}", "\u{FFFD}", "\u{200D}\u{FE0F}", "\u{AD}"] {
            let hits = try await result(query, in: store, .text)?.hits ?? []
            #expect(hits.isEmpty, "\(query.debugDescription)")
        }
    }
}

struct PageNumberTests {
    @Test func `pages are counted by form feeds`() {
        var entry = Entry(content: "one\n\u{0C}two kestrels\n\u{0C}three")
        entry.location = EntryLocation(line: 1, page: 4)
        #expect([0, 4, 5, 18].map { entry.location(ofByte: $0).page } == [4, 4, 5, 5])
        #expect(entry.location(ofByte: 19).page == 6 && entry.location(ofByte: .max).page == 6)
        entry.location = EntryLocation(line: 1)
        #expect(entry.location(ofByte: 19).page == nil)
    }
}

import Foundation
import Roost
import TestSupport
import Testing

/// Searches by words in several languages, over notes written for this project.
@Suite(.temporaryFolders) struct LanguageSearchTests {
    private struct Notes: Decodable {
        struct Query: Decodable {
            var query: String
            /// The index of the note that answers the query.
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

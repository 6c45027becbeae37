import Foundation
import Roost
import TestSupport
import Testing

/// The quality of searches with the model all-MiniLM-L6-v2 for the questions of `Fixtures/Questions` about
/// `Fixtures/notes`.
@Suite(
    .enabled(
        if: InstalledModel.minilm != nil,
        "the model all-MiniLM-L6-v2 is not installed; Scripts/model installs it"))
struct QuestionTests {
    private struct Question: Decodable {
        var question: String
        /// The paths or ids of the notes that answer the question; empty if none does.
        var answers: [String]
    }

    private static let folder = Fixtures.folder.appendingPathComponent("notes").standardizedFileURL

    private func questions() throws -> [Question] {
        let file = Fixtures.folder.appendingPathComponent("Questions/questions.jsonl")
        return try Data(contentsOf: file).split(separator: 10).map {
            try JSONDecoder().decode(Question.self, from: $0)
        }
    }

    private func store() async throws -> KnowledgeStore {
        let store = KnowledgeStore(
            storage: InMemoryStorageProvider(), embedder: try #require(InstalledModel.minilm))
        _ = try await store.ingest(folder: Self.folder)
        return store
    }

    /// Returns the id of a row, or the path of a note relative to the folder.
    private func name(_ entry: Entry) -> String {
        if let key = entry.key, key.hasPrefix("id:") { return String(key.dropFirst(3)) }
        let path = entry.sourcePath ?? ""
        return path.hasPrefix(Self.folder.path + "/")
            ? String(path.dropFirst(Self.folder.path.count + 1)) : path
    }

    @Test func `the right note is first, and questions without an answer find nothing`() async throws {
        let store = try await store()
        let questions = try questions()
        let results = try await store.search(questions.map { EntrySearch($0.question) })
        var (first, amongThree, unanswered) = (0, 0, 0)
        for (question, result) in zip(questions, results) {
            let rank = result.hits.firstIndex { question.answers.contains(name($0.entry)) }
            first += rank == 0 ? 1 : 0
            amongThree += (rank ?? .max) < 3 ? 1 : 0
            unanswered += question.answers.isEmpty && result.hasOnlyNoise ? 1 : 0
            #expect(result.hits.allSatisfy { (0...1).contains($0.score) })
            #expect(zip(result.hits, result.hits.dropFirst()).allSatisfy { $0.score >= $1.score })
        }
        #expect(questions.count { !$0.answers.isEmpty } == 60)
        #expect(questions.count { $0.answers.isEmpty } == 20)
        #expect(first >= 47)
        #expect(amongThree >= 52)
        #expect(unanswered >= 18)
    }

    @Test func `one rare word of a longer query is no answer`() async throws {
        let store = KnowledgeStore(
            storage: InMemoryStorageProvider(), embedder: try #require(InstalledModel.minilm))
        for text in [
            "Capitalize the first word of each line in Vim with a substitution.",
            "Count the records of a Postgres table by their creation date.",
            "Rebase the last three commits of a branch interactively with Git.",
        ] { _ = try await store.add(text) }
        let queries = ["capital city of Australia with the best beaches", "birthday date of my grandmother"]
        for result in try await store.search(queries.map { EntrySearch($0) }) {
            #expect(result.hits.isEmpty && result.hasOnlyNoise)
            #expect(result.nearest.count == 3)
        }
        #expect(try await store.search("rebase commits").hits.first?.entry.content.contains("Git") == true)
    }

    @Test func `texts that the model does not understand are found by their words only`() async throws {
        let store = KnowledgeStore(
            storage: InMemoryStorageProvider(), embedder: try #require(InstalledModel.minilm))
        for text in ["🎂🎉", "🚀", "🎻🎹", "The cake is in the oven."] { _ = try await store.add(text) }
        #expect(try await store.search("🚀").hits.map(\.entry.content) == ["🚀"])
        #expect(try await store.search("🍕").hits.isEmpty)
        // The model knows three of the four characters of the query, but hardly any of the note.
        let note = "昨天坐高铁去了外地，天气很好。我们后来到了上海，住在酒店里。"
        _ = try await store.add(note)
        for query in ["高铁 上海", "酒店 天气", "上海"] {
            #expect(try await store.search(query).hits.first?.entry.content == note, "\(query)")
        }
        #expect(try await store.search("高铁 北京").hits.isEmpty, "only one of two words occurs")
        // Words decide if half of the query is unknown, although other notes have vectors and this one has none.
        _ = try await store.add("データベースのインデックスを再構築した。")
        _ = try await store.add("每天早上背单词，晚上练习书法。图书馆周末关门。")
        _ = try await store.add("เราซื้อมะม่วงและข้าวเหนียวที่ตลาดน้ำ เรือหางยาวเสียงดังมาก")
        for (query, word) in [("书法", "书法"), ("ข้าวเหนียว เรือ", "ข้าวเหนียว")] {
            #expect(
                try await store.search(query).hits.first?.entry.content.contains(word) == true, "\(query)")
        }
        #expect(try await store.duplicates().isEmpty)
    }
}

/// The model all-MiniLM-L6-v2, if it is installed.
enum InstalledModel {
    static let minilm = try? BERTEmbedder(folder: URL(fileURLWithPath: models + "/all-MiniLM-L6-v2"))

    static let models: String = {
        let environment = ProcessInfo.processInfo.environment
        let data = environment["XDG_DATA_HOME"] ?? (environment["HOME"] ?? "") + "/.local/share"
        return environment["ROOST_MODELS"] ?? data + "/roost/models"
    }()
}

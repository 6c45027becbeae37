import RoostModel
import RoostText
import RoostVectors

/// Decides which words with a hyphen are excluded, and which are text that entries contain, such as the
/// option in `git commit -amend`.
struct ExclusionCheck {
    let storage: any StorageProvider
    let words: DerivedCatalog<TextContents>
    let filteredRows: FilteredRows

    /// The maximum number of words of one query that are checked. A query with more of them is unlikely to be
    /// a command that a person typed.
    private static let maximumPhrases = 32
    /// The maximum number of entries that are read for a phrase.
    private static let maximumEntries = 50

    /// A phrase of a search, and the entries that the search can find. Other entries must not count: the
    /// answer would tell whether an entry that is hidden from the caller contains the phrase.
    private struct Question: Hashable {
        var phrase: String
        var filter: EntryFilter
    }

    /// Returns, for each of the given searches, its phrases that are text, because an entry that matches its
    /// filter contains them.
    ///
    /// - Throws: `StorageError`; `CancellationError`.
    func phrasesInEntries(for searches: [EntrySearch]) async throws -> [Set<String>] {
        let questions = searches.map { search -> [Question] in
            guard case .text(let text) = search.subject, search.mode != .vector else { return [] }
            let phrases = TextQuery(text).doubtfulExclusions.prefix(Self.maximumPhrases)
            return phrases.map { Question(phrase: $0, filter: search.filter) }
        }
        guard questions.contains(where: { !$0.isEmpty }) else { return searches.map { _ in [] } }
        let snapshot = try await storage.snapshot()
        let contents = try await words.current()
        var answers: [Question: Bool] = [:]
        for question in questions.joined() where answers[question] == nil {
            let rows = try await filteredRows.allowed(by: question.filter, in: snapshot)
            answers[question] = try await occurs(question.phrase, among: rows, in: snapshot, contents)
        }
        return questions.map { Set($0.filter { answers[$0] == true }.map(\.phrase)) }
    }

    private func occurs(
        _ phrase: String, among rows: RowSet?, in snapshot: any StorageSnapshot, _ contents: TextContents
    ) async throws -> Bool {
        let query = try await contents.resolved(
            TextQuery("\"\(String(phrase.map { $0 == "\"" ? " " : $0 }))\""), correctsSpelling: false)
        do {
            try contents.verify(for: query)
        } catch is IndexFault {
            // The search itself rebuilds the index if it needs the positions of words.
            return false
        }
        guard var allowed = try await contents.allowed(by: query) else { return false }
        if let rows { allowed.formIntersection(rows) }
        guard !allowed.isEmpty else { return false }
        let hits = try await contents.scores(for: query).best(Self.maximumEntries, among: allowed)
        let entries = try await snapshot.entries(hits.map(\.entry))
        return entries.contains { entry in
            let text = entry.indexedText
            return ([text.body] + text.fields.values).contains { Self.contains($0, phrase) }
        }
    }

    /// Returns whether a text contains a phrase without regard to case, and no letter or digit follows it.
    static func contains(_ text: String, _ phrase: String) -> Bool {
        let phrase = Array(phrase.lowercased().utf8)
        var text = text.lowercased()
        return text.withUTF8 { text in
            guard !phrase.isEmpty, phrase.count <= text.count else { return false }
            for start in 0...(text.count - phrase.count) where text[start] == phrase[0] {
                let end = start + phrase.count
                guard text[start..<end].elementsEqual(phrase) else { continue }
                if end == text.count { return true }
                let next = text[end]
                if next < 128, !(48...57).contains(next), !(97...122).contains(next) { return true }
            }
            return false
        }
    }
}

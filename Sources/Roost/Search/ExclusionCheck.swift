import RoostModel
import RoostText

/// Decides which words with a hyphen are excluded, and which are text that entries contain, such as the
/// option in `git commit -amend`.
struct ExclusionCheck {
    let storage: any StorageProvider
    let words: DerivedCatalog<TextContents>

    /// The maximum number of words of one query that are checked. A query with more of them is unlikely to be
    /// a command that a person typed.
    private static let maximumPhrases = 32
    /// The maximum number of entries that are read for a phrase.
    private static let maximumEntries = 50

    /// Returns the phrases of the given searches that are text, because an entry contains them.
    ///
    /// - Throws: `StorageError`; `CancellationError`.
    func phrasesInEntries(for searches: [EntrySearch]) async throws -> Set<String> {
        var phrases = Set<String>()
        for search in searches {
            guard case .text(let text) = search.subject, search.mode != .vector else { continue }
            phrases.formUnion(TextQuery(text).doubtfulExclusions.prefix(Self.maximumPhrases))
        }
        guard !phrases.isEmpty else { return [] }
        let snapshot = try await storage.snapshot()
        let contents = try await words.current()
        var found = Set<String>()
        for phrase in phrases where try await occurs(phrase, in: snapshot, contents) { found.insert(phrase) }
        return found
    }

    private func occurs(
        _ phrase: String, in snapshot: any StorageSnapshot, _ contents: TextContents
    ) async throws -> Bool {
        let query = try await contents.resolved(
            TextQuery("\"\(String(phrase.map { $0 == "\"" ? " " : $0 }))\""), correctsSpelling: false)
        do {
            try contents.verify(for: query)
        } catch is IndexFault {
            // The search itself rebuilds the index if it needs the positions of words.
            return false
        }
        guard let allowed = try await contents.allowed(by: query), !allowed.isEmpty else { return false }
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

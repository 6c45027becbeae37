import Roost
import RoostConversations
import RoostModel
import RoostText

/// The sentences with which servers report how a search was carried out, and why it has no hits.
enum SearchNotices {
    /// The maximum number of words that are named for the same reason.
    static let maximumWords = 5
    /// The maximum length of a word in a sentence, in characters.
    private static let maximumLength = 60

    /// Returns the sentences about a result.
    ///
    /// - Parameters:
    ///   - showsEverything: Whether the client sees the whole store. Otherwise, it must not learn whether the
    ///     store is empty, and the search must have named the visible entries (`EntrySearch/visible`).
    ///   - hasFilter: Whether the client selected the entries that may be found. Otherwise, only messages are
    ///     excluded.
    static func texts(
        of result: QueryResult, offset: Int, showingEverything showsEverything: Bool, hasFilter: Bool = true
    ) -> [String] {
        let texts = remarks(on: result, subject: "entry")
        guard result.hits.isEmpty else { return texts }
        return texts + [reason(of: result, offset, showsEverything, hasFilter)]
    }

    /// Returns the reason why nothing is recalled if no visible message is stored, or none matches the
    /// filter. It does not depend on messages that the client cannot see, such as whether there are any.
    static func noMessages(hasFilter: Bool) -> String {
        hasFilter ? "no message matches the conversation and the period" : "there are no messages yet"
    }

    /// Returns the sentences about the messages that were recalled.
    ///
    /// The search must have named the visible messages, as recalls do.
    static func texts(
        of result: RecallResult, offset: Int = 0, hasFilter: Bool
    ) -> [String] {
        let texts = remarks(on: result.search, subject: "message")
        guard result.recollections.isEmpty else { return texts }
        if offset > 0 { return texts + ["there are no messages after the first \(offset)"] }
        if result.count > 0 { return texts + ["no message fits into the maximum number of tokens"] }
        if result.hasOnlyNoise {
            return texts + ["no message is close to the query; 'nearest' has the nearest messages"]
        }
        guard result.search.candidateCount == 0 else { return texts + ["no message was found"] }
        guard result.search.text?.isSelective == true else {
            return texts + [noMessages(hasFilter: hasFilter)]
        }
        let conditions = hasFilter ? "conditions of the query and the filter" : "conditions of the query"
        return texts + ["no message meets the \(conditions)"]
    }

    /// Returns the sentences about the words of a query.
    private static func remarks(on result: QueryResult, subject: String) -> [String] {
        var texts = result.notices.map(\.message)
        if result.omittedTokens > 0 {
            texts.append(
                "the query exceeds the model's maximum length: its last "
                    + "\(Count.text(result.omittedTokens, "token was", "tokens were")) ignored")
        }
        texts += result.corrections.prefix(maximumWords).map { correction in
            let (old, new) = (short(correction.original), short(correction.corrected))
            return "no \(subject) contains '\(old)'; the search was for '\(new)'"
        }
        if let query = result.text, !query.exclusions.isEmpty {
            var words = query.exclusions.prefix(maximumWords).map(short)
            if query.exclusions.count > maximumWords { words.append("…") }
            texts.append(
                "excluded: \(words.joined(separator: ", ")); to search for such a word, put it in "
                    + "quotation marks")
        }
        return texts
    }

    /// Returns the reason why a result has no hits.
    private static func reason(
        of result: QueryResult, _ offset: Int, _ showsEverything: Bool, _ hasFilter: Bool
    ) -> String {
        if offset > 0 { return "there are no hits after the first \(offset)" }
        if showsEverything, result.stamp.entryCount == 0 { return "the store has no entries" }
        if result.hasOnlyNoise { return "no entry is close to the query; 'nearest' has the nearest entries" }
        guard result.candidateCount == 0 else { return "no entry was found" }
        guard hasFilter else {
            if result.text?.isSelective == true { return "no entry meets the conditions of the query" }
            return noEntries(showingEverything: showsEverything)
        }
        return result.text?.isSelective == true
            ? "no entry meets the conditions of the query and the filter" : "no entry matches the filter"
    }

    /// Returns the reason why a search without a filter finds no entries in a store that has some.
    static func noEntries(showingEverything showsEverything: Bool) -> String {
        showsEverything
            ? "the store has only messages of conversations, which the tool 'recall' finds"
            : "the part of the store that this server shows has no entries"
    }

    static func short(_ text: String) -> String {
        text.count > maximumLength ? String(text.prefix(maximumLength)) + "…" : text
    }
}

package import Roost
import RoostConversations
import RoostModel
import RoostText

/// The sentences with which servers report how a search was carried out, and why it has no hits.
package enum SearchNotices {
    /// The maximum number of words that are named for the same reason.
    static let maximumWords = 5
    /// The maximum length of a word in a sentence, in characters.
    private static let maximumLength = 60

    /// Returns the sentences about a result.
    ///
    /// - Parameters:
    ///   - showsEverything: Whether the client sees the whole store. Otherwise, it must not learn whether the
    ///     store is empty, and the search must have named the visible entries (`EntrySearch/visible`).
    ///   - hasFilter: Whether the client selected the entries that may be found.
    static func texts(
        of result: QueryResult, offset: Int, showingEverything showsEverything: Bool, hasFilter: Bool
    ) -> [String] {
        let texts = remarks(on: result, subject: "entry") + exclusion(of: result)
        guard result.hits.isEmpty else { return texts }
        let isEmpty = showsEverything && offset == 0 && result.stamp.entryCount == 0
        let none = hasFilter ? "no entry matches the filter" : noEntries
        return texts + [
            isEmpty
                ? "the store has no entries"
                : reason(
                    of: result, offset, hasNearest: result.hasOnlyNoise, hasFilter, ("entry", "entries"), none
                )
        ]
    }

    /// Returns the reason why nothing is recalled if no visible message is stored, or none matches the
    /// filter. It does not depend on messages that the client cannot see, such as whether there are any.
    static func noMessages(hasFilter: Bool) -> String {
        hasFilter ? "no message matches the conversation and the period" : "there are no messages yet"
    }

    /// Returns the sentences about the messages that were recalled.
    ///
    /// The search must have named the visible messages, as recalls do.
    static func texts(of result: RecallResult, offset: Int, hasFilter: Bool) -> [String] {
        let texts = remarks(on: result.search, subject: "message") + exclusion(of: result.search)
        guard result.recollections.isEmpty else { return texts }
        return texts + [
            reason(
                of: result.search, offset, hasNearest: result.hasOnlyNoise, hasFilter,
                ("message", "messages"),
                noMessages(hasFilter: hasFilter))
        ]
    }

    /// Returns the sentences about the words of a query that were corrected or ignored.
    ///
    /// - Parameter subject: The name of the results, such as `entry`.
    package static func remarks(on result: QueryResult, subject: String) -> [String] {
        var texts = result.notices.map(\.message)
        if result.omittedTokens > 0 {
            texts.append(
                "the query exceeds the model's maximum length: its last "
                    + "\(Count.text(result.omittedTokens, "token was", "tokens were")) ignored")
        }
        return texts
            + result.corrections.prefix(maximumWords).map { correction in
                let (old, new) = (short(correction.original), short(correction.corrected))
                return "no \(subject) contains '\(old)'; the search was for '\(new)'"
            }
    }

    private static func exclusion(of result: QueryResult) -> [String] {
        guard let query = result.text, !query.exclusions.isEmpty else { return [] }
        var words = query.exclusions.prefix(maximumWords).map(short)
        if query.exclusions.count > maximumWords { words.append("…") }
        return [
            "excluded: \(words.joined(separator: ", ")); to search for such a word, put it in quotation marks"
        ]
    }

    /// Returns the reason why a search has no results.
    private static func reason(
        of search: QueryResult, _ offset: Int, hasNearest: Bool, _ hasFilter: Bool,
        _ subject: (one: String, several: String), _ none: String
    ) -> String {
        if offset > 0 { return "there are no \(subject.several) after the first \(offset)" }
        if hasNearest {
            return "no \(subject.one) is close to the query; 'nearest' has the nearest \(subject.several)"
        }
        guard search.candidateCount == 0 else { return "no \(subject.one) was found" }
        guard search.text?.isSelective == true else { return none }
        return "no \(subject.one) meets the conditions of the query" + (hasFilter ? " and the filter" : "")
    }

    /// The reason why a search without a filter finds no entries in a store that has some.
    static let noEntries = "the part of the store that this server shows has no entries"

    static func short(_ text: String) -> String {
        text.count > maximumLength ? String(text.prefix(maximumLength)) + "…" : text
    }
}

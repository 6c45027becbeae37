package import RoostConversations
import RoostModel

/// The JSON form of recalled messages in the results of tools.
package enum MessageJSON {
    /// Returns the members that explain a recall: the notices, and the nearest messages if none is close to
    /// the query.
    package static func explanation(
        of result: RecallResult, offset: Int = 0, hasFilter: Bool
    ) throws -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        let notices = SearchNotices.texts(of: result, offset: offset, hasFilter: hasFilter)
        if !notices.isEmpty { members["notices"] = .array(notices.map { .string($0) }) }
        if result.hasOnlyNoise, offset == 0 {
            members["nearest"] = .array(try result.nearest.map { try summary(of: $0, in: result) })
        }
        return members
    }

    /// Returns a recollection without members that say the same as others: the location names the
    /// conversation again, and the title is that of the text, unless the conversation has one.
    package static func brief(_ found: Recollection) throws -> JSONValue {
        var members = try JSONValue.encoding(found).members ?? [:]
        // Scores have four decimal places, as those of other results.
        members["score"] = .rounded(found.score)
        members["similarity"] = .rounded(found.similarity)
        members["location"] = nil
        members["title"] = found.message.title.map { .string($0) }
        return .object(members)
    }

    /// Returns a message with an excerpt instead of its text.
    private static func summary(of found: Recollection, in result: RecallResult) throws -> JSONValue {
        var members = try JSONValue.encoding(found.message).members ?? [:]
        members["content"] = nil
        members["snippet"] = EntryJSON.snippetText(
            of: found.hit, in: result.search, tokens: TokenBudget.standard)
        return .object(members)
    }

    /// The maximum number of messages before and after each message.
    static let maximumContext = 10
}

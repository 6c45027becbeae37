import Foundation
import Roost
package import RoostConversations
import RoostModel

package struct RecollectionDocument: Codable, Sendable {
    package var message: MessageDocument
    /// The relevance from 0 to 1; 1 if messages are listed by time.
    package var score: Float?
    package var similarity: Float?
    package var title: String?
    /// The messages before and after it, oldest first.
    package var before: [MessageDocument]
    package var after: [MessageDocument]

    package init(_ found: Recollection) {
        message = MessageDocument(found.message)
        (score, similarity) = (found.score.rounded4, found.similarity.rounded4)
        title = found.message.title
        before = found.before.map { MessageDocument($0) }
        after = found.after.map { MessageDocument($0) }
    }
}

struct Recall: Operation {
    struct Output: Codable, Sendable {
        /// The messages, best first, or oldest first for a time.
        var messages: [RecollectionDocument] = []
        var notices: [String]?
        var nearest: [MessageDocument]?
        var nextCursor: String?
    }

    var query: String
    var limit: Int?
    var context: Int?
    var mode: String?
    var all: Bool?
    var exactWords: Bool?

    static let name = "recall"
    static let summary =
        "Search messages of conversations by meaning and by words, each with the messages around it."
    static let details =
        "Messages from a date that the question names, such as '7 May 2023', rank higher; 'since' and 'until' "
        + "restrict the time. A question that names only a time, such as 'what happened last week', returns the "
        + "messages of that time, oldest first."
    static let access = OperationAccess(.reads, .messages)
    static let route = OperationRoute(.post, "/conversations/recall")

    static let parameters =
        [
            Argument(
                "query", Schema.string("A question or descriptive words.", minimum: 1, maximum: 20_000),
                .required),
            Argument("context", Schema.integer("The messages before and after each; 1 by default.", 0...10)),
        ] + MessageSelection.parameters + OperationContext.pageParameters(maximum: 100, standard: 10) + [
            Argument(
                "mode",
                Schema.choice(
                    SearchMode.allCases.map(\.rawValue),
                    "Whether to compare meaning, words or both (default)."), .programs),
            Argument(
                "all", Schema.flag("Whether to return the nearest messages even if none is relevant."),
                .programs),
            Argument(
                "exactWords", Schema.flag("Whether to search without correcting misspelled words."), .programs
            ),
        ]

    private static let cutNotice =
        "more messages may match; narrow the query, or use 'since' and 'until', to find them"

    func run(in context: OperationContext) async throws -> Output {
        let selection = try context.decode(MessageSelection.self)
        let filter = try selection.filter(under: context.rules)
        var options = RecallOptions(limit: limit ?? 10, context: self.context ?? 1)
        options.offset = try context.position() ?? 0
        options.mode = mode.flatMap(SearchMode.init) ?? .hybrid
        options.includesAll = all ?? false
        options.usesExactWords = exactWords ?? false
        guard context.snapshot.stamp.entryCount > 0 else {
            return Output(notices: [SearchNotices.noMessages(hasFilter: !selection.isEmpty)])
        }
        let found = try await ConversationMemory(context.store).search(query, in: filter, options)
        // The search may have read a newer state than that of the cursor.
        _ = try context.position(at: found.search.stamp)
        var output = Output(messages: found.recollections.map(RecollectionDocument.init))
        let end = options.offset + found.recollections.count
        var notices = SearchNotices.texts(of: found, offset: options.offset, hasFilter: !selection.isEmpty)
        if end >= found.count, found.isCut, !found.recollections.isEmpty { notices.append(Self.cutNotice) }
        if !notices.isEmpty { output.notices = notices }
        if found.hasOnlyNoise, options.offset == 0 {
            output.nearest = found.nearest.map { near in
                var message = MessageDocument(near.message)
                message.content = nil
                let snippet = found.search.snippet(of: near.hit, limit: EntryDocument.snippetLength(nil))
                message.snippet = snippet.text
                return message
            }
        }
        if end < found.count { output.nextCursor = context.cursor(end, at: found.search.stamp) }
        return output
    }
}

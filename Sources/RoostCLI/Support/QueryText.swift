import Foundation
import Roost

/// Builds the text of a query from arguments.
enum QueryText {
    /// The maximum size of a query on standard input: more text than any embedding model reads.
    private static let maximumSize = 16 << 20

    /// Returns the query.
    ///
    /// - Parameters:
    ///   - words: The words on the command line; only `-` stands for standard input.
    ///   - excluded: The values of `--not`.
    /// - Throws: ``RoostError`` if standard input is too large or not UTF-8; `CancellationError`.
    static func text(of words: [String], excluding excluded: [String] = []) throws -> String {
        guard words == ["-"] else { return exclusions(excluded) + words.joined(separator: " ") }
        let data = try StandardInput.readToEnd(limit: maximumSize)
        guard let text = String(validating: data, as: UTF8.self) else {
            throw RoostError(.badInput, "cannot read the query: standard input is not UTF-8 text")
        }
        return exclusions(excluded) + text
    }

    /// The reason why a query of exclusions cannot be searched for.
    static let onlyExclusions = "the query contains only excluded words; add words to search for"

    /// Returns whether a query only excludes words.
    static func isOnlyExclusion(_ text: String, _ mode: SearchMode) -> Bool {
        TextQuery(text).isOnlyExclusion
    }

    /// Checks that a query does not only exclude words.
    ///
    /// - Parameters:
    ///   - words: The words on the command line, for the message.
    ///   - mode: The mode of the search, which determines the operators of the query.
    /// - Throws: ``CommandError`` with `.usage`.
    static func requireWords(in text: String, typed words: [String], _ mode: SearchMode) throws {
        guard isOnlyExclusion(text, mode) else { return }
        guard words != ["-"] else { throw CommandError(.usage, "cannot search: \(onlyExclusions)") }
        let query = Terminal.line(words.joined(separator: " "), limit: 60)
        throw CommandError(
            .usage,
            "cannot search: \(onlyExclusions), or use `roost query -- \(query)` to search for this text")
    }

    /// Returns quoted exclusions for all modes, each with a space after it. They precede the query, because
    /// a quotation mark without a partner in the query would otherwise pair with their first one.
    static func exclusions(_ excluded: [String]) -> String {
        excluded.map { text in "-\"\(String(text.map { $0 == "\"" ? " " : $0 }))\" " }.joined()
    }
}

import Foundation
import Roost

/// An entry in the list of `roost pick`.
struct PickItem: Sendable {
    /// The number of characters of a text that typed words are searched for in.
    private static let searchedLength = 1000

    let id: Entry.ID
    /// The title and the path, each on one line and without control characters.
    let title: String
    let path: String
    /// The tags, separated by commas.
    let tags: String
    /// The title, path, tags and the beginning of the text, in which typed words are searched for.
    let searched: String

    init(_ entry: Entry) {
        id = entry.id
        title = EntryTitle.text(of: entry)
        path = Terminal.line(entry.displayPath, limit: .max)
        tags = entry.tags.map { Terminal.line($0) }.joined(separator: ", ")
        let text = entry.content.prefix(Self.searchedLength)
        searched = [title, path, tags, String(text)].joined(separator: "\n")
    }
}

import Foundation
import Roost

/// The names of the files of exported entries: their titles, as far as file systems permit them.
///
/// The names are unique on file systems that ignore case and compose characters differently. The first of
/// several entries with the same title gets the title, and the others also their ids, so the names of entries
/// do not change when others are added.
struct EntryFileNames {
    /// The maximum length of a title in bytes. Names can have 255 bytes in most file systems, and 143 in
    /// encrypted folders.
    private static let maximumLength = 100

    /// The names that were returned, in the form in which file systems compare them.
    private var used: Set<String> = []

    /// Returns the name of the file of an entry, with the extension `md`. It differs from all earlier ones.
    mutating func name(of entry: Entry) -> String {
        let title = Self.stem(of: entry.title ?? TextTitle.title(of: entry.content) ?? "")
        let folded = title.decomposedStringWithCanonicalMapping.lowercased()
        // The id in parentheses cannot be a part of a title, because a title has no parentheses.
        guard !title.isEmpty, used.insert(folded).inserted else {
            return (title.isEmpty ? "" : title + " ") + "(\(entry.id.text)).md"
        }
        return title + ".md"
    }

    /// Returns a title of letters, digits, spaces, hyphens, underscores and full stops; empty if nothing
    /// remains.
    static func stem(of title: String) -> String {
        var text = ""
        for character in title.precomposedStringWithCanonicalMapping {
            let isKept = character.isLetter || character.isNumber || "-_.".contains(character)
            guard text.utf8.count + character.utf8.count <= maximumLength else { break }
            if isKept { text.append(character) } else if text.last != " " { text.append(" ") }
        }
        // Names that begin with a full stop are hidden, and those with a hyphen look like options.
        text = String(text.drop { ".- ".contains($0) })
        while let last = text.last, ". ".contains(last) { text.removeLast() }
        return text
    }
}

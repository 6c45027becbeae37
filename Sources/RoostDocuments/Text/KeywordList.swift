import Foundation

/// Keywords in one string, as the properties of documents contain them.
enum KeywordList {
    /// The maximum number of characters of a keyword. Longer texts are descriptions.
    private static let maximumLength = 60

    /// Returns the keywords of a list that is separated by commas, semicolons or line breaks, without
    /// duplicates, in order.
    static func keywords(in list: String) -> [String] {
        var keywords: [String] = []
        for part in list.split(whereSeparator: { ",;\n\r，、".contains($0) }) {
            let keyword = part.trimmingCharacters(in: CharacterSet(charactersIn: " \t#\"'"))
            let isNew = !keywords.contains { $0.lowercased() == keyword.lowercased() }
            if !keyword.isEmpty && keyword.count <= maximumLength && isNew { keywords.append(keyword) }
        }
        return keywords
    }
}

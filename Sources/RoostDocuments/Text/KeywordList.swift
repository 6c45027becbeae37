import Foundation

/// Keywords in one string, as the properties of documents contain them.
enum KeywordList {
    /// The maximum number of characters of a keyword. Longer texts are descriptions.
    private static let maximumLength = 60

    /// The maximum number of keywords. Documents state a few; a list of very many is data, and each keyword
    /// becomes a tag that is stored and shown.
    static let maximumCount = 1000

    /// Returns the keywords of a list that is separated by commas, semicolons or line breaks, without
    /// duplicates, in order.
    static func keywords(in list: String) -> [String] {
        var keywords: [String] = []
        var known: Set<String> = []
        // Without an array of the parts, which could need many times the memory of the list.
        var rest = list[...]
        while keywords.count < maximumCount, !rest.isEmpty {
            let part = rest.prefix { !",;\n\r，、".contains($0) }
            rest = rest[part.endIndex...].dropFirst()
            let keyword = part.trimmingCharacters(in: CharacterSet(charactersIn: " \t#\"'"))
            if !keyword.isEmpty && keyword.count <= maximumLength
                && known.insert(keyword.lowercased()).inserted
            {
                keywords.append(keyword)
            }
        }
        return keywords
    }
}

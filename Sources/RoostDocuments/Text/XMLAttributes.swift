import Foundation

/// The texts in the attributes of an XML element, such as `label="Bosun chair"`.
enum XMLAttributes {
    /// The names of attributes with a text for readers, in lowercase letters and in the order of the output.
    private static let names = [
        "title", "label", "name", "text", "displayname", "caption", "heading", "subtitle", "summary",
        "description", "desc", "alt", "value", "content", "message", "comment", "note", "hint", "tooltip",
    ]
    /// The names whose text names the element itself, so that it is written with the element's name. They
    /// can also contain identifiers.
    private static let subjects: Set = ["title", "label", "name", "text", "displayname", "value", "content"]
    /// The names of attributes that never contain a text, in lowercase letters.
    private static let technical: Set = [
        "class", "style", "id", "href", "src", "url", "d", "points", "transform", "schemalocation", "type",
        "pattern", "select", "match", "test", "expression", "path", "classpath",
    ]
    /// The minimum number of words of a text in an attribute with another name.
    private static let minimumWords = 3

    /// Returns the texts of an element with their names. A single word is a text only if it is written as
    /// one: it contains an uppercase letter or a letter outside of ASCII, or the name promises a text.
    ///
    /// - Complexity: O(n log n) for n attributes.
    static func texts(of element: XMLPull.Element) -> [(name: String, text: String)] {
        guard !element.attributes.isEmpty else { return [] }
        var found: [(rank: Int, name: String, text: String)] = []
        for (name, value) in element.attributes where !name.contains(":") && !name.hasPrefix("xmlns") {
            let key = name.lowercased().filter { $0 != "-" && $0 != "_" }
            let text = MarkdownText.singleLine(value)
            guard !technical.contains(key), isText(text) else { continue }
            if let rank = names.firstIndex(of: key) {
                let isSubject = subjects.contains(key)
                let isWord =
                    text.contains { $0 == " " || $0.isUppercase || $0.isLetter && !$0.isASCII }
                    && !(text.contains("_") && !text.contains(" "))
                if isWord || !isSubject || key == "label" || key == "text" || key == "title" {
                    found.append((rank, isSubject ? element.name : name, text))
                }
            } else if text.split(separator: " ").count(where: isWord) >= minimumWords {
                found.append((names.count, name, text))
            }
        }
        let ordered = found.sorted { ($0.rank, $0.name, $0.text) < ($1.rank, $1.name, $1.text) }
        return ordered.map { ($0.name, $0.text) }
    }

    /// Returns whether a value has words and is neither an address nor a Boolean value.
    private static func isText(_ text: String) -> Bool {
        guard text.count(where: \.isLetter) > 1, !text.contains("://"), !text.hasPrefix("urn:") else {
            return false
        }
        let lowercased = text.lowercased()
        return !["true", "false", "yes", "no", "null", "none", "auto"].contains(lowercased)
    }

    /// Returns whether a part of a value is a word: at least two letters, and marks only at its ends.
    private static func isWord(_ part: Substring) -> Bool {
        let core = part.drop { $0.isPunctuation }.reversed().drop { $0.isPunctuation }
        return core.count > 1 && core.allSatisfy { $0.isLetter || $0 == "-" || $0 == "'" || $0 == "’" }
    }
}

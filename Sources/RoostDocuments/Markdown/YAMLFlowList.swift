import Foundation

/// Reads lists in brackets that are not valid YAML, such as `tags: [#garden, #soil]`, in which the number
/// sign begins a comment.
enum YAMLFlowList {
    /// The keys of names. A number sign before a name is not part of it; before other values, such as colors,
    /// it is.
    private static let nameKeys: Set<String> = ["tags", "tag", "aliases", "alias"]

    /// Returns the key and the list of a part of front matter; `nil` if its value is not a list of texts. The
    /// closing bracket can be missing at the end of a single line.
    static func entry(_ text: String) -> FrontMatterMember? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let key = String(text[..<colon]).trimmed.trimmingCharacters(in: ["\"", "'"])
        let value = String(text[text.index(after: colon)...]).trimmed
        guard !key.isEmpty, !key.contains("\n"), value.first == "[", let elements = elements(value),
            elements.count <= FrontMatter.maximumValues
        else { return nil }
        let holdsNames = nameKeys.contains(key.lowercased())
        return FrontMatterMember(key: key, value: .array(elements.map { $0.value(isName: holdsNames) }))
    }

    /// An element of a list.
    private struct Element {
        /// The text without quotation marks.
        var text = ""
        /// Whether the text had quotation marks, so that it is neither a number nor another value.
        var isQuoted = false

        /// Returns the value of the element.
        func value(isName: Bool) -> FrontMatterValue {
            var text = text
            if isName, text.first == "#" { text.removeFirst() }
            return .scalar(isQuoted ? .string(text) : YAMLScalar.value(text), text: text)
        }
    }

    /// Returns the elements between the brackets; `nil` for lists of lists, unclosed quotation marks, text
    /// after a closing quotation mark, and text after the closing bracket that is not a comment.
    private static func elements(_ value: String) -> [Element]? {
        var elements: [Element] = []
        var current = Element()
        var rest = value.dropFirst()
        func end() {
            if !current.isQuoted { current.text = current.text.trimmed }
            if current.isQuoted || !current.text.isEmpty { elements.append(current) }
            current = Element()
        }
        while let character = rest.popFirst() {
            switch character {
            case ",": end()
            case "]":
                end()
                let comment = String(rest).trimmed
                return comment.isEmpty || comment.first == "#" ? elements : nil
            case "[", "{", "}": return nil
            case "\"", "'":
                guard !current.isQuoted else { return nil }
                guard current.text.trimmed.isEmpty else {
                    current.text.append(character)
                    continue
                }
                guard let text = quoted(&rest, until: character) else { return nil }
                current = Element(text: text, isQuoted: true)
            default:
                guard !current.isQuoted || character.isWhitespace else { return nil }
                if !current.isQuoted { current.text.append(character) }
            }
        }
        end()
        return value.contains(where: \.isNewline) ? nil : elements
    }

    /// Reads the text up to the closing quotation mark, and the mark; `nil` if there is none.
    private static func quoted(_ rest: inout Substring, until mark: Character) -> String? {
        var text = ""
        while let character = rest.popFirst() {
            if character == "\\", mark == "\"", let next = rest.popFirst() {
                text.append(next)
            } else if character != mark {
                text.append(character)
            } else if mark == "'", rest.first == mark {
                text.append(mark)
                rest.removeFirst()
            } else {
                return text
            }
        }
        return nil
    }
}

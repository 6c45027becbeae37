/// Finds the title that a file in YAML or TOML states.
enum DataTitle {
    /// The number of bytes at the beginning of a text that are searched.
    private static let searchedBytes = 1 << 16
    /// The maximum number of bytes of a title.
    private static let maximumLength = 300
    /// The keys with a title, in order of precedence: of any file, of an API in OpenAPI, of a resource of
    /// Kubernetes, and of packages in Rust and Python.
    private static let keys = [
        "title", "name", "info.title", "metadata.name", "package.name", "project.name", "tool.poetry.name",
    ]

    /// Returns the value of the first of ``keys`` that a text in YAML has.
    ///
    /// - Complexity: O(1): at most the first ``searchedBytes`` bytes are read.
    static func title(ofYAML text: String) -> String? {
        var values: [String: String] = [:]
        var (parent, indentation) = ("", 0)
        for line in lines(text) {
            let content = line.drop { $0 == " " }
            guard let first = content.first, first != "#" else { continue }
            // Only the first document of a file has the title.
            if line.hasPrefix("---") || line.hasPrefix("...") {
                if values.isEmpty { continue } else { break }
            }
            guard first != "-", let colon = content.firstIndex(of: ":") else { continue }
            let depth = line.count - content.count
            let key = unquoted(String(content[..<colon]).trimmed) ?? String(content[..<colon]).trimmed
            let value = String(content[content.index(after: colon)...]).trimmed
            if depth == 0 {
                (parent, indentation) = (value.isEmpty ? key + "." : "", 0)
                add(value, key, to: &values)
            } else if !parent.isEmpty, indentation == 0 || depth == indentation {
                indentation = depth
                add(value, parent + key, to: &values)
            }
        }
        return first(of: values)
    }

    /// Returns the value of the first of ``keys`` that a text in TOML has.
    ///
    /// - Complexity: O(1): at most the first ``searchedBytes`` bytes are read.
    static func title(ofTOML text: String) -> String? {
        var values: [String: String] = [:]
        var table = ""
        for line in lines(text) {
            let content = String(line).trimmed
            if content.hasPrefix("[") {
                table = String(content.dropFirst().prefix { $0 != "]" }).trimmed + "."
            } else if let sign = content.firstIndex(of: "="), !content.hasPrefix("#") {
                let value = String(content[content.index(after: sign)...]).trimmed
                // Other values than strings are no titles.
                guard value.hasPrefix("\"") || value.hasPrefix("'") else { continue }
                add(value, table + String(content[..<sign]).trimmed, to: &values)
            }
        }
        return first(of: values)
    }

    private static func lines(_ text: String) -> [Substring] {
        String(decoding: text.utf8.prefix(searchedBytes), as: UTF8.self).split(whereSeparator: \.isNewline)
    }

    private static func add(_ value: String, _ key: String, to values: inout [String: String]) {
        guard keys.contains(key), values[key] == nil, value.utf8.count <= maximumLength else { return }
        let text: String
        if value.hasPrefix("\"") || value.hasPrefix("'") {
            guard let found = unquoted(value) else { return }
            text = found
        } else {
            // Not a list, a mapping, an alias, a block of lines or a template.
            guard let first = value.first, !"[{&*!|>%@`#".contains(first) else { return }
            text = value.firstRange(of: " #").map { String(value[..<$0.lowerBound]).trimmed } ?? value
        }
        let line = MarkdownText.singleLine(text)
        if !line.isEmpty { values[key] = line }
    }

    /// Returns the text between the quotation marks at the beginning of a value; `nil` if there are none.
    private static func unquoted(_ value: String) -> String? {
        guard let mark = value.first, mark == "\"" || mark == "'" else { return nil }
        var text = ""
        var rest = value.dropFirst()
        while let character = rest.popFirst() {
            if character == mark { return text }
            if mark == "\"", character == "\\", let next = rest.popFirst() {
                // The title is one line.
                text.append(next == "n" || next == "t" ? " " : next)
            } else {
                text.append(character)
            }
        }
        return nil
    }

    private static func first(of values: [String: String]) -> String? {
        keys.lazy.compactMap { values[$0] }.first
    }
}

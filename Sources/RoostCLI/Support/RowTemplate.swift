import ArgumentParser
import Foundation

/// A text with the names of columns in braces, such as `{id} {title}`. A list prints it for each row.
struct RowTemplate: Equatable {
    private enum Part: Equatable {
        case text(String)
        case name(String)
    }

    private let parts: [Part]

    /// Reads a template: `{NAME}` is replaced, `\t`, `\n` and `\\` are a tab, a line feed and a backslash,
    /// and `{{` and `}}` are braces.
    ///
    /// - Throws: `ValidationError` if a brace is not closed, or contains no name.
    init(_ text: String) throws {
        var parts: [Part] = []
        var literal = ""
        var rest = Substring(text)
        while let character = rest.popFirst() {
            switch character {
            case "\\": literal += Self.escaped(rest.popFirst())
            case "{" where rest.first == "{", "}" where rest.first == "}":
                literal.append(rest.removeFirst())
            case "{":
                guard let end = rest.firstIndex(of: "}"), end > rest.startIndex else {
                    throw ValidationError(
                        "--template needs a column name and } after each {; for a literal brace, write {{")
                }
                parts += [.text(literal), .name(String(rest[..<end]))]
                literal = ""
                rest = rest[rest.index(after: end)...]
            default: literal.append(character)
            }
        }
        self.parts = parts + [.text(literal)]
    }

    private static func escaped(_ character: Character?) -> String {
        switch character {
        case "t": "\t"
        case "n": "\n"
        case "\\", nil: "\\"
        case let other?: "\\\(other)"
        }
    }

    /// Returns the line of a row.
    ///
    /// - Parameters:
    ///   - columns: The names of the cells of the row. A name with a period, such as `metadata.year`, names a
    ///     member of the row's JSON.
    ///   - encoder: The encoder for that JSON.
    /// - Throws: ``CommandError`` with `.usage` if a name is that of no column; errors of the encoder.
    func line(of row: ListRow, columns: [String], _ encoder: JSONEncoder) throws -> String {
        var members: Any?
        return try parts.map { part in
            switch part {
            case .text(let text): return text
            case .name(let name):
                if let index = columns.firstIndex(of: name) { return row.cells[index] }
                guard name.contains(".") else { throw Self.unknown(name, among: columns) }
                if members == nil {
                    members = try JSONSerialization.jsonObject(with: encoder.encode(row.document))
                }
                return Self.value(name, in: members)
            }
        }.joined()
    }

    /// Returns the member of a JSON value that a path such as `metadata.year` names, as text; an empty text
    /// if the value has no such member. Keys may contain periods.
    private static func value(_ path: String, in value: Any?) -> String {
        guard let object = value as? [String: Any] else { return "" }
        if let member = object[path] { return text(of: member) }
        for end in path.indices.reversed() where path[end] == "." {
            if let member = object[String(path[..<end])] {
                return Self.value(String(path[path.index(after: end)...]), in: member)
            }
        }
        return ""
    }

    private static func text(of value: Any) -> String {
        if let text = value as? String { return text }
        if value is NSNull { return "" }
        let options: JSONSerialization.WritingOptions = [
            .fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes,
        ]
        let data = try? JSONSerialization.data(withJSONObject: value, options: options)
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    private static func unknown(_ name: String, among columns: [String]) -> CommandError {
        let list = columns.dropLast().joined(separator: ", ") + " or \(columns.last ?? "")"
        let clause = Suggestion.clause(for: name, among: columns, else: "use \(list)")
        return CommandError(
            .usage, "unknown column '\(Terminal.line(name, limit: 40))' in --template; \(clause)")
    }
}

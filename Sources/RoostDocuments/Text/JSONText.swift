/// Writes JSON values as readable text: a line `name: value` for each value, and a heading for each object of
/// a top-level array that has a title.
struct JSONText {
    /// The text.
    private(set) var output: MarkdownOutput
    /// The number of values that are not written because they are too long.
    private(set) var omitted = 0

    private static let titles = ["title", "name", "label", "id"]
    /// The maximum length in bytes of a value. Longer ones are files in an encoding for texts, and each copy
    /// of a value takes memory.
    static let maximumValueLength = 1 << 20

    init(limits: DocumentLimits) { output = MarkdownOutput(limits: limits) }

    /// Appends a value.
    ///
    /// - Throws: ``DocumentError/limitExceeded(_:)`` if the text becomes too long.
    /// - Complexity: O(length of the value).
    mutating func write(_ value: JSONCursor) throws {
        var cursor = value
        guard cursor.kind == .array else { return try append(&cursor, name: "", depth: 0) }
        guard cursor.enter() else { return }
        repeat {
            if let title = Self.text(Self.titles, of: cursor) {
                try output.add(MarkdownText.heading(ofPlainText: title, level: 2))
            }
            try append(&cursor, name: "", depth: 0)
            output.endBlock()
        } while cursor.next()
    }

    /// Returns the title that a document states.
    static func title(of document: JSONCursor) -> String? { text(["title", "name"], of: document) }

    /// Returns the text of the first member with one of some names.
    private static func text(_ names: [String], of object: JSONCursor) -> String? {
        for name in names {
            if let value = object[name], value.length <= maximumValueLength, let text = value.string {
                return text
            }
        }
        return nil
    }

    /// Appends the value at a cursor, and moves the cursor to its end.
    private mutating func append(_ cursor: inout JSONCursor, name: String, depth: Int) throws {
        switch cursor.kind {
        case .string, .literal:
            guard cursor.length <= Self.maximumValueLength else {
                omitted += 1
                return cursor.skip()
            }
            try addLine(cursor.scalar(), name: name, depth: depth)
        case .array:
            if !name.isEmpty {
                if let text = Self.joined(cursor) {
                    cursor.skip()
                    return try addLine(text, name: name, depth: depth)
                }
                try addName(name, depth: depth)
            }
            guard cursor.enter() else { return }
            repeat { try append(&cursor, name: "", depth: depth + 1) } while cursor.next()
        case .object:
            if !name.isEmpty { try addName(name, depth: depth) }
            let inner = depth + (name.isEmpty ? 0 : 1)
            guard cursor.enter() else { return }
            repeat {
                let name = cursor.name()
                try append(&cursor, name: name, depth: inner)
            } while cursor.next()
        }
    }

    /// Returns the elements of an array as one text; `nil` if it contains objects or arrays, or is long.
    private static func joined(_ array: JSONCursor) -> String? {
        var (text, cursor) = ("", array)
        guard cursor.enter() else { return "" }
        repeat {
            guard cursor.kind != .object, cursor.kind != .array,
                text.utf8.count + cursor.length <= maximumValueLength
            else { return nil }
            text += (text.isEmpty ? "" : ", ") + cursor.scalar()
        } while cursor.next()
        return text
    }

    private mutating func addName(_ name: String, depth: Int) throws {
        try output.add(Self.prefix(depth) + name + ":", isListItem: true)
    }

    private mutating func addLine(_ text: String, name: String, depth: Int) throws {
        guard !text.isEmpty, text != "null" else { return }
        let label = name.isEmpty ? "" : name + ": "
        try output.add(Self.prefix(depth) + label + MarkdownText.escaped(text), isListItem: true)
    }

    /// Returns the indentation and the bullet of a line.
    private static func prefix(_ depth: Int) -> String {
        String(repeating: "  ", count: min(max(depth - 1, 0), 10)) + (depth > 0 ? "- " : "")
    }
}

/// Writes JSON values as readable text: a line `name: value` for each value, and a heading for each object of
/// a top-level array that has a title.
struct JSONText {
    /// The text.
    private(set) var output: MarkdownOutput

    private static let titles = ["title", "name", "label", "id"]

    init(limits: DocumentLimits) { output = MarkdownOutput(limits: limits) }

    /// Appends a value.
    mutating func write(_ value: JSONTree) throws {
        var lines: [String] = []
        if case .array(let elements) = value {
            for element in elements { try writeElement(element) }
            return
        }
        Self.append(value, name: "", to: &lines, depth: 0)
        try flush(&lines)
    }

    private mutating func writeElement(_ element: JSONTree) throws {
        let title = Self.titles.lazy.compactMap { element[$0]?.string }.first
        if let title { try output.add(MarkdownText.heading(title, level: 2)) }
        var lines: [String] = []
        Self.append(element, name: "", to: &lines, depth: 0)
        try flush(&lines)
    }

    private mutating func flush(_ lines: inout [String]) throws {
        try output.add(lines.joined(separator: "\n"))
        lines = []
    }

    private static func append(_ value: JSONTree, name: String, to lines: inout [String], depth: Int) {
        let indent = String(repeating: "  ", count: min(max(depth - 1, 0), 10))
        switch value {
        case .string(let text), .literal(let text):
            guard !text.isEmpty, text != "null" else { return }
            let prefix = name.isEmpty ? "" : name + ": "
            lines.append(indent + (depth > 0 ? "- " : "") + prefix + MarkdownText.escaped(text))
        case .array(let elements):
            let isSimple = elements.allSatisfy { $0.string != nil }
            if isSimple, !name.isEmpty {
                let text = elements.compactMap(\.string).joined(separator: ", ")
                append(.string(text), name: name, to: &lines, depth: depth)
                return
            }
            if !name.isEmpty { lines.append(indent + (depth > 0 ? "- " : "") + name + ":") }
            for element in elements { append(element, name: "", to: &lines, depth: depth + 1) }
        case .object(let members):
            if !name.isEmpty { lines.append(indent + (depth > 0 ? "- " : "") + name + ":") }
            let inner = depth + (name.isEmpty ? 0 : 1)
            for member in members { append(member.value, name: member.name, to: &lines, depth: inner) }
        }
    }
}

import Foundation
import RoostModel

/// Front matter in JSON, as in Hugo: an object at the beginning of a text, before other lines.
enum JSONFrontMatter {
    /// Returns the number of lines of an object at the beginning of a text; `nil` if the text does not begin
    /// with a valid object, or if nothing follows it, because the text is then a document in JSON.
    static func lineCount(_ lines: MarkdownLines) -> Int? {
        let start = lines.bytes.matches("\u{FEFF}", at: 0) ? 3 : 0
        guard start < lines.bytes.count, lines.bytes[start] == UInt8(ascii: "{"),
            let end = end(lines.bytes, from: start),
            let line = lines.starts.firstIndex(where: { $0 >= end }), line < lines.count,
            lines.bytes.trimmed(end..<lines.starts[line]).isEmpty,
            !lines.bytes.trimmed(lines.starts[line]..<lines.bytes.count).isEmpty,
            let cursor = cursor(Data(lines.bytes[start..<end])), cursor.hasMembers
        else { return nil }
        return line
    }

    /// Returns the offset after the object at an offset; `nil` if it has no end within the maximum length of
    /// front matter.
    private static func end(_ bytes: [UInt8], from start: Int) -> Int? {
        var (depth, isString, index) = (0, false, start)
        while index < min(bytes.count, FrontMatterRange.maximumLength) {
            switch bytes[index] {
            case UInt8(ascii: "\""): isString.toggle()
            case UInt8(ascii: "\\") where isString: index += 1
            case UInt8(ascii: "{") where !isString: depth += 1
            case UInt8(ascii: "}") where !isString:
                depth -= 1
                if depth == 0 { return index + 1 }
            default: break
            }
            index += 1
        }
        return nil
    }

    private static func cursor(_ data: Data) -> JSONCursor? {
        // A text that is not valid JSON is not front matter.
        try? JSONCursor(data, maximumDepth: MetadataValue.maximumDepth)
    }

    /// Parses an object.
    static func parse(_ text: String) -> FrontMatter {
        var budget = FrontMatter.maximumValues
        guard let cursor = cursor(Data(text.utf8)), case .object(let members) = value(cursor, &budget) else {
            return FrontMatter(unreadParts: ["front matter: it is not valid JSON"])
        }
        let problem = "front matter: it has more than \(FrontMatter.maximumValues) values"
        return FrontMatter(entries: members, unreadParts: budget > 0 ? [] : [problem])
    }

    private static func value(_ cursor: JSONCursor, _ budget: inout Int) -> FrontMatterValue {
        budget -= 1
        guard budget > 0 else { return .scalar(.null, text: "") }
        switch cursor.kind {
        case .object:
            var members: [FrontMatterMember] = []
            cursor.forEachMember { name, member in
                members.append(FrontMatterMember(key: name, value: value(member, &budget)))
                return budget > 0
            }
            return .object(members)
        case .array:
            var values: [FrontMatterValue] = []
            cursor.forEachElement { element in if budget > 0 { values.append(value(element, &budget)) } }
            return .array(values)
        case .string:
            let text = cursor.string ?? ""
            return .scalar(.string(text), text: text)
        case .literal:
            // Literals of JSON are literals of YAML.
            let text = cursor.string ?? ""
            return .scalar(YAMLScalar.value(text), text: text)
        }
    }
}

extension JSONCursor {
    /// Whether the value is an object with at least one member.
    fileprivate var hasMembers: Bool {
        var copy = self
        return kind == .object && copy.enter()
    }
}

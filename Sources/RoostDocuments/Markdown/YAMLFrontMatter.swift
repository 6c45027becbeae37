import RoostModel
import Yams

extension FrontMatter {
    init(_ range: FrontMatterRange, of lines: MarkdownLines) {
        for block in range.blocks {
            let read =
                block.isYAML
                ? YAMLFrontMatter.parse(lines.bytes.text(block.content), line: block.lines.lowerBound + 2)
                : FrontMatter(unreadParts: ["front matter: it is in TOML, which Roost does not read"])
            entries += read.entries
            unreadParts += read.unreadParts
        }
    }
}

enum YAMLFrontMatter {
    /// Parses the lines between the fences of front matter.
    ///
    /// If the text is not valid YAML, each key is parsed separately, so that an error affects only one key.
    ///
    /// - Parameter line: The number of its first line in the file, for messages.
    static func parse(_ text: String, line: Int) -> FrontMatter {
        do {
            return try entries(text)
        } catch {
            return parseSeparately(text, line: line, problem: error)
        }
    }

    /// Parses YAML and returns its value; `nil` if the text is empty.
    private static func value(_ text: String) throws -> FrontMatterValue? {
        guard let node = try compose(yaml: text) else { return nil }
        var budget = FrontMatter.maximumValues
        return try value(node, depth: 0, budget: &budget)
    }

    /// The YAML has more values, after the substitution of aliases, or more levels than permitted.
    struct TooManyValues: Error {}

    // MARK: Valid YAML

    private static func entries(_ text: String) throws -> FrontMatter {
        guard let value = try value(text) else { return FrontMatter() }
        switch value {
        case .object(let members): return FrontMatter(entries: members)
        case .scalar(.null, _): return FrontMatter()
        case .scalar, .array:
            return FrontMatter(unreadParts: ["front matter: it has no keys"])
        }
    }

    private static func value(_ node: Node, depth: Int, budget: inout Int) throws -> FrontMatterValue {
        budget -= 1
        guard budget > 0, depth <= MetadataValue.maximumDepth else { throw TooManyValues() }
        switch node {
        case .scalar(let scalar):
            let isPlain = scalar.style == .plain || scalar.style == .any
            let isExplicitString =
                isPlain && node.tag == Tag(.str) && YAMLScalar.value(scalar.string).double != nil
            return .scalar(
                isPlain && !isExplicitString ? YAMLScalar.value(scalar.string) : .string(scalar.string),
                text: scalar.string)
        case .sequence(let sequence):
            var values: [FrontMatterValue] = []
            for element in sequence { values.append(try value(element, depth: depth + 1, budget: &budget)) }
            return .array(values)
        case .mapping(let mapping):
            var merged: [FrontMatterMember] = []
            var members: [FrontMatterMember] = []
            for (key, element) in mapping {
                let member = try value(element, depth: depth + 1, budget: &budget)
                if key.scalar?.string == "<<", key.scalar?.style == .plain {
                    merged += mergedMembers(member)
                } else {
                    members.append(FrontMatterMember(key: Self.key(key), value: member))
                }
            }
            let own = Set(members.map(\.key))
            return .object(merged.filter { !own.contains($0.key) } + members)
        case .alias: return .scalar(.null, text: "")
        }
    }

    /// Returns the members that a merge key `<<` adds. Earlier mappings take precedence over later ones.
    private static func mergedMembers(_ value: FrontMatterValue) -> [FrontMatterMember] {
        switch value {
        case .object(let members): members
        case .array(let values): values.reversed().flatMap { mergedMembers($0) }
        case .scalar: []
        }
    }

    /// Returns a key as text. Keys that are lists or mappings have no text, so their elements are joined.
    private static func key(_ node: Node) -> String {
        switch node {
        case .scalar(let scalar): scalar.string
        case .sequence(let sequence): sequence.compactMap { $0.scalar?.string }.joined(separator: ", ")
        case .mapping(let mapping): mapping.compactMap { $0.key.scalar?.string }.joined(separator: ", ")
        case .alias: ""
        }
    }

    // MARK: Invalid YAML

    /// Parses each key separately. A line with an invalid value is read as text, and all other invalid parts
    /// are reported.
    private static func parseSeparately(_ text: String, line: Int, problem: any Error) -> FrontMatter {
        var result = FrontMatter()
        for part in parts(text, line: line) {
            do {
                let parsed = try entries(part.text)
                result.entries += parsed.entries
                if !parsed.unreadParts.isEmpty { result.unreadParts.append(message(part, problem)) }
            } catch {
                if let entry = literalEntry(part.text) {
                    result.entries.append(entry)
                    result.unreadParts.append(message(part, error) + "; it was read as text")
                } else {
                    result.unreadParts.append(message(part, error))
                }
            }
        }
        if problem is TooManyValues, result.unreadParts.isEmpty {
            result.unreadParts.append("front matter: it has more than \(FrontMatter.maximumValues) values")
        }
        var last: [String: Int] = [:]
        for (index, entry) in result.entries.enumerated() { last[entry.key] = index }
        result.entries = result.entries.enumerated().filter { last[$0.element.key] == $0.offset }.map(
            \.element)
        return result
    }

    private struct Part {
        var text: String
        var line: Int
    }

    /// Splits YAML before each line that begins with a key.
    private static func parts(_ text: String, line first: Int) -> [Part] {
        var parts: [Part] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.last == "\r" ? line.dropLast() : line
            let start = line.unicodeScalars.first
            let continues =
                start == nil || start == " " || start == "\t" || start == "-" || start == "]" || start == "}"
            if continues || !line.contains(":"), !parts.isEmpty {
                parts[parts.count - 1].text += "\n" + line
            } else if start != nil, start != "#" {
                parts.append(Part(text: String(line), line: first + index))
            }
        }
        return parts
    }

    /// Returns the key and value of a single line as text, such as `title: A: B`, which is not valid YAML.
    private static func literalEntry(_ text: String) -> FrontMatterMember? {
        let line = text.trimmed
        guard !line.contains("\n"), let colon = line.firstIndex(of: ":") else { return nil }
        let key = String(line[..<colon]).trimmed
        var value = String(line[line.index(after: colon)...]).trimmed
        guard !key.isEmpty, !value.isEmpty else { return nil }
        if value.count >= 2, let first = value.first, first == value.last, first == "\"" || first == "'" {
            value = String(value.dropFirst().dropLast())
        }
        return FrontMatterMember(key: key, value: .scalar(.string(value), text: value))
    }

    private static func message(_ part: Part, _ error: any Error) -> String {
        let reason: String =
            switch error {
            case YamlError.scanner(_, let problem, _, _), YamlError.parser(_, let problem, _, _),
                YamlError.composer(_, let problem, _, _):
                problem
            case YamlError.duplicatedKeysInMapping: "a key occurs twice"
            case is TooManyValues: "it has too many values or levels"
            default: "it is not valid YAML"
            }
        return "front matter, line \(part.line): \(reason)"
    }
}

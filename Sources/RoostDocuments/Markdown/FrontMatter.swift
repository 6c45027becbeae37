import RoostModel

struct FrontMatter {
    var entries: [FrontMatterMember] = []
    /// The parts that could not be read, as messages for the user.
    var unreadParts: [String] = []

    static let maximumValues = 20_000
}

/// The position of the front matter at the beginning of a Markdown text: YAML between lines of `---`. A program that
/// adds its own keys can have written a second block below the first one. A block of TOML between lines of `+++` is
/// found, but not read.
struct FrontMatterRange: Equatable {
    struct Block: Equatable {
        /// The range in UTF-8 bytes of the lines between the fences.
        let content: Range<Int>
        /// The indexes of the lines, including the fences.
        let lines: Range<Int>
        let isYAML: Bool
    }

    /// The maximum number of bytes of a block.
    static let maximumLength = 1 << 20

    let blocks: [Block]
    /// The number of lines from the beginning of the text to the last fence.
    var lineCount: Int { blocks.last?.lines.upperBound ?? 0 }

    /// Finds the front matter; `nil` if the text does not begin with a fence, if no line ends the block within
    /// ``maximumLength``, or if the first line between the fences that is neither blank nor a comment has no key. In
    /// the last two cases, the first line is a horizontal line.
    init?(_ lines: MarkdownLines) {
        guard let first = Self.block(from: 0, of: lines) else { return nil }
        let next = (first.lines.upperBound..<lines.count).first { !lines.trimmedRange($0).isEmpty }
        let second = next.flatMap { Self.block(from: $0, of: lines) }
        blocks = [first] + [second].compactMap { $0 }.filter { Self.hasOnlyKeys($0, lines) }
    }

    private static func block(from first: Int, of lines: MarkdownLines) -> Block? {
        let isYAML = isFence(first, of: lines, ["---"])
        guard first + 1 < lines.count, isYAML || isFence(first, of: lines, ["+++"]) else { return nil }
        let limit = lines.starts[first] + maximumLength
        let last = (first + 1..<lines.count).first {
            lines.starts[$0] > limit || isFence($0, of: lines, isYAML ? ["---", "..."] : ["+++"])
        }
        guard let last, lines.starts[last] <= limit, isPlausible(first + 1..<last, of: lines, isYAML) else {
            return nil
        }
        return Block(
            content: lines.starts[first + 1]..<lines.starts[last], lines: first..<last + 1, isYAML: isYAML)
    }

    /// Returns whether each line of a block is a key or continues one. Text between horizontal lines has empty lines
    /// around it, or begins with a capital, as in `Note: …`.
    private static func hasOnlyKeys(_ block: Block, _ lines: MarkdownLines) -> Bool {
        block.lines.dropFirst().dropLast().allSatisfy { line in
            let text = lines.bytes.text(lines.starts[line]..<lines.trimmedRange(line).upperBound)
            guard let first = text.first else { return false }
            return !first.isLetter || first.isLowercase && text.prefix { $0 != ":" }.allSatisfy { $0 != " " }
        }
    }

    private static func isFence(_ line: Int, of lines: MarkdownLines, _ fences: [String]) -> Bool {
        let start = line == 0 && lines.bytes.matches("\u{FEFF}", at: 0) ? 3 : lines.starts[line]
        let end = max(start, lines.trimmedRange(line).upperBound)
        return end - start == 3 && fences.contains(lines.bytes.text(start..<end))
    }

    private static func isPlausible(_ range: Range<Int>, of lines: MarkdownLines, _ isYAML: Bool) -> Bool {
        for line in range {
            let range = lines.trimmedRange(line)
            guard let first = range.first.map({ lines.bytes[$0] }), first != UInt8(ascii: "#") else {
                continue
            }
            guard isYAML else {
                return first == UInt8(ascii: "[") || lines.bytes[range].contains(UInt8(ascii: "="))
            }
            return first == UInt8(ascii: "{") || first == UInt8(ascii: "?")
                || lines.bytes[range].contains(UInt8(ascii: ":"))
        }
        return isYAML
    }
}

/// A value of front matter: metadata together with the text of its scalars, because titles and tags such as
/// `1.10` or `yes` keep their text.
enum FrontMatterValue {
    /// A single value and the text that denotes it.
    case scalar(MetadataValue, text: String)
    case array([FrontMatterValue])
    /// Keys with values, in order. If a key occurs twice, the last value counts.
    case object([FrontMatterMember])

    var metadata: MetadataValue {
        switch self {
        case .scalar(let value, _): value
        case .array(let values): .array(values.map(\.metadata))
        case .object(let members):
            .object(Dictionary(members.map { ($0.key, $0.value.metadata) }) { _, last in last })
        }
    }

    /// The text of a scalar other than `null`; `nil` for lists and objects.
    var text: String? {
        guard case .scalar(let value, let text) = self, value != .null else { return nil }
        return text
    }

    /// The name in `[[name]]` without quotation marks, which YAML reads as a list within a list; otherwise
    /// `nil`.
    var bracketedName: String? {
        guard case .array(let outer) = self, outer.count == 1, case .array(let inner) = outer[0],
            inner.count == 1
        else { return nil }
        return inner[0].text
    }

    var texts: [String] {
        switch self {
        case .scalar: text.map { [$0] } ?? []
        case .array(let values): values.flatMap(\.texts)
        case .object: []
        }
    }
}

struct FrontMatterMember {
    var key: String
    var value: FrontMatterValue
}

/// The types of plain scalars of YAML: those of the core schema of YAML 1.2, but a number whose digits another text
/// denotes, too, such as `1.10`, `00123`, `0x1F` or `12345e67`, stays the text that a person wrote. Conditions compare
/// such texts as numbers.
enum YAMLScalar {
    /// Returns the value of a plain scalar. Dates are strings.
    static func value(_ text: String) -> MetadataValue {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        default: break
        }
        guard text.utf8.count <= 64, let number = Double(text), number.isFinite else { return .string(text) }
        let value = Int64(text).map { MetadataValue.integer($0) } ?? .number(number)
        return value.text == text ? value : .string(text)
    }
}

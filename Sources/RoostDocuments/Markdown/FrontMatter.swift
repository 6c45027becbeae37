import RoostModel

/// The keys and values of front matter.
struct FrontMatter {
    /// The keys and values, in order.
    var entries: [FrontMatterMember] = []
    /// The parts that could not be read, as messages for the user.
    var unreadParts: [String] = []

    /// The maximum number of values.
    static let maximumValues = 20_000
}

/// The position of the front matter at the beginning of a Markdown text: YAML between lines of `---`.
struct FrontMatterRange: Equatable {
    /// The maximum number of bytes of front matter.
    static let maximumLength = 1 << 20

    /// The range in UTF-8 bytes of the lines between the fences.
    let content: Range<Int>
    /// The number of lines, including the fences.
    let lineCount: Int

    /// Finds the front matter; `nil` if the text does not begin with a line `---`, if no line ends the front
    /// matter within ``maximumLength``, or if the first line between the fences that is neither blank nor a
    /// comment has no key. In the last two cases, the first line is a horizontal line.
    init?(_ lines: MarkdownLines) {
        guard lines.count >= 2, Self.isFence(0, of: lines, ["---"]) else { return nil }
        var line = 1
        while line < lines.count, lines.starts[line] <= Self.maximumLength {
            if Self.isFence(line, of: lines, ["---", "..."]) {
                guard Self.isPlausible(lines, lastLine: line) else { return nil }
                (content, lineCount) = (lines.starts[1]..<lines.starts[line], line + 1)
                return
            }
            line += 1
        }
        return nil
    }

    private static func isFence(_ line: Int, of lines: MarkdownLines, _ fences: [String]) -> Bool {
        let start = line == 0 && lines.bytes.matches("\u{FEFF}", at: 0) ? 3 : lines.starts[line]
        let end = max(start, lines.trimmedRange(line).upperBound)
        return end - start == 3 && fences.contains(lines.bytes.text(start..<end))
    }

    private static func isPlausible(_ lines: MarkdownLines, lastLine: Int) -> Bool {
        for line in 1..<max(1, lastLine) {
            let range = lines.trimmedRange(line)
            guard let first = range.first.map({ lines.bytes[$0] }), first != UInt8(ascii: "#") else {
                continue
            }
            return first == UInt8(ascii: "{") || first == UInt8(ascii: "?")
                || lines.bytes[range].contains(UInt8(ascii: ":"))
        }
        return true
    }
}

/// A value of front matter: metadata together with the text of its scalars, because titles and tags such as
/// `1.10` or `yes` keep their text.
enum FrontMatterValue {
    /// A single value and the text that denotes it.
    case scalar(MetadataValue, text: String)
    /// A list.
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

    /// The texts of a scalar or of the scalars in a list.
    var texts: [String] {
        switch self {
        case .scalar: text.map { [$0] } ?? []
        case .array(let values): values.flatMap(\.texts)
        case .object: []
        }
    }

    /// Returns whether lists and objects in the value are nested deeper than a number of levels.
    func isNested(deeperThan depth: Int) -> Bool {
        switch self {
        case .scalar: false
        case .array(let values): depth == 0 || values.contains { $0.isNested(deeperThan: depth - 1) }
        case .object(let members): depth == 0 || members.contains { $0.value.isNested(deeperThan: depth - 1) }
        }
    }
}

struct FrontMatterMember {
    var key: String
    var value: FrontMatterValue
}

/// The types of plain scalars of YAML.
///
/// The rules are those of the core schema of YAML 1.2, which Obsidian uses, with two exceptions. The words
/// `yes`, `no`, `on` and `off` are Boolean values, as in YAML 1.1. Numbers with leading zeros, such as postal
/// codes, are strings, and so are times such as `12:30`, which YAML 1.1 reads as a number of base 60.
enum YAMLScalar {
    /// Returns the value of a plain scalar. Dates are strings.
    static func value(_ text: String) -> MetadataValue {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON": return .bool(true)
        case "false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF": return .bool(false)
        default: break
        }
        guard let first = text.utf8.first, text.utf8.count <= 64,
            first.isASCIIDigit || first == UInt8(ascii: "-") || first == UInt8(ascii: "+")
                || first == UInt8(ascii: ".")
        else { return .string(text) }
        return number(text) ?? .string(text)
    }

    private static func number(_ text: String) -> MetadataValue? {
        if text.hasPrefix("0x") { return Int64(text.dropFirst(2), radix: 16).map { .integer($0) } }
        if text.hasPrefix("0o") { return Int64(text.dropFirst(2), radix: 8).map { .integer($0) } }
        let digits = text.utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
        guard text.utf8.count - digits.count <= 1, !digits.isEmpty else { return nil }
        if digits.allSatisfy(\.isASCIIDigit) {
            guard digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
            if let value = Int64(text) { return .integer(value) }
        }
        let isFloat = digits.allSatisfy {
            $0.isASCIIDigit || $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e")
                || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+")
        }
        let hasLeadingZero =
            digits.count > 1 && digits.first == UInt8(ascii: "0")
            && digits.dropFirst().first.map { $0.isASCIIDigit } ?? false
        guard isFloat, !hasLeadingZero, digits.contains(where: \.isASCIIDigit),
            let value = Double(text.hasSuffix(".") ? text + "0" : text), value.isFinite
        else { return nil }
        return .number(value)
    }
}

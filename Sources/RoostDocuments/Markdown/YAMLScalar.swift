import RoostModel

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

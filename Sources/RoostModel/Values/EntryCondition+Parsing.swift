import Foundation

extension EntryCondition {
    /// Parses a condition such as `key=value`. The first operator in the text separates the key from the
    /// value; one space on each side of it is ignored, and so are double quotation marks around the value.
    ///
    /// - Returns: `nil` if the text is not a condition.
    package init?(parsing text: String) {
        let operators: [(name: String, test: (String) -> Test)] = [
            ("!=", Test.differs), ("<=", Test.isAtMost), (">=", Test.isAtLeast), ("^=", Test.hasPrefix),
            ("=", Test.equals), ("<", Test.isLess), (">", Test.isGreater),
        ]
        if let start = text.firstIndex(where: { "!<>^=".contains($0) }) {
            let rest = text[start...]
            guard let (name, test) = operators.first(where: { rest.hasPrefix($0.name) }) else { return nil }
            let key = text[..<start]
            let isSpaced = key.last == " "
            let value = rest.dropFirst(name.count)
            self.init(
                Self.field(String(isSpaced ? key.dropLast() : key)),
                test(Self.unquoted(isSpaced && value.first == " " ? value.dropFirst() : value)))
        } else if let range = text.range(of: " in ") {
            let values = text[range.upperBound...].split(separator: ",", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            self.init(Self.field(String(text[..<range.lowerBound])), .isOneOf(values))
        } else if text.hasSuffix(" exists") {
            self.init(Self.field(String(text.dropLast(" exists".count))), .exists)
        } else if text.hasSuffix(" missing") {
            self.init(Self.field(String(text.dropLast(" missing".count))), .isMissing)
        } else {
            return nil
        }
        if case .metadata(let key) = field, key.isEmpty { return nil }
    }

    private static func unquoted(_ value: Substring) -> String {
        guard value.count >= 2, value.first == "\"", value.last == "\"" else { return String(value) }
        return String(value.dropFirst().dropLast())
    }

    private static func field(_ key: String) -> Field { .metadata(key) }
}

import Foundation

extension EntryCondition {
    /// The reason why a text that a user wrote is not a condition.
    package enum Fault: Error, Equatable {
        /// The text does not have the form of a condition.
        case form
        /// The operand of an inequality is empty, as in `year>=`.
        case noOperand
        /// The operand of an inequality with `created` or `updated` names no time. Compared with metadata, it
        /// would match nothing.
        case noTime(String)
    }

    /// Parses a condition that a user wrote. In an inequality of metadata, words for a time, such as
    /// `due<today` or `due<=last-week`, stand for their days; days of the time that is named are part of it,
    /// so `due<=today` means before tomorrow. In quotation marks, such words are text: `name<"now"`. The keys
    /// `tag` and `tags` stand for the tags of the entry, and `metadata.tag` for the metadata key `tag`.
    package init(written text: String, _ times: DateReader) throws(Fault) {
        // `==` would search for a value that begins with `=`.
        guard text.firstMatch(of: /^[^=<>!^]+==/) == nil else { throw .form }
        guard let condition = EntryCondition(parsing: text) else { throw .form }
        self = condition
        switch field {
        case .metadata("tag"), .metadata("tags"): field = .tag
        case .metadata("metadata.tag"): field = .metadata("tag")
        case .metadata("metadata.tags"): field = .metadata("tags")
        default: break
        }
        guard let operand = test.bound else { return }
        guard operand.contains(where: { !$0.isWhitespace }) else { throw .noOperand }
        guard !comparesDatesOfEntry else {
            guard times.period(operand) != nil else { throw .noTime(operand) }
            return
        }
        guard !text.hasSuffix("\"\(operand)\""), let first = times.day(operand),
            let next = times.day(operand, isNext: true)
        else { return }
        switch test {
        case .isLess: test = .isLess(first)
        case .isAtMost: test = .isLess(next)
        case .isGreater: test = .isAtLeast(next)
        case .isAtLeast: test = .isAtLeast(first)
        default: break
        }
    }

    /// Whether the field has the name of a date that each entry has.
    package var comparesDatesOfEntry: Bool { field == .metadata("created") || field == .metadata("updated") }
}

extension EntryCondition.Test {
    fileprivate var bound: String? {
        switch self {
        case .isLess(let operand), .isAtMost(let operand), .isGreater(let operand), .isAtLeast(let operand):
            operand
        default: nil
        }
    }
}

extension EntryCondition {
    /// Parses a condition such as `key=value`. The first operator in the text separates the key from the
    /// value; one space on each side of it is ignored, and so are double quotation marks around the value.
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
                .metadata(String(isSpaced ? key.dropLast() : key)),
                test(Self.unquoted(isSpaced && value.first == " " ? value.dropFirst() : value)))
        } else if let range = text.range(of: " in ") {
            let values = text[range.upperBound...].split(separator: ",", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            self.init(.metadata(String(text[..<range.lowerBound])), .isOneOf(values))
        } else if text.hasSuffix(" exists") {
            self.init(.metadata(String(text.dropLast(" exists".count))), .exists)
        } else if text.hasSuffix(" missing") {
            self.init(.metadata(String(text.dropLast(" missing".count))), .isMissing)
        } else {
            return nil
        }
        if case .metadata(let key) = field, key.isEmpty { return nil }
    }

    private static func unquoted(_ value: Substring) -> String {
        guard value.count >= 2, value.first == "\"", value.last == "\"" else { return String(value) }
        return String(value.dropFirst().dropLast())
    }
}

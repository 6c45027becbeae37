/// A condition on one of an entry's values: `metadata("year") isGreater("2020")`.
///
/// Two values compare as numbers where both are written as JSON writes numbers, as texts, byte by byte, where
/// neither is; a number and a text are neither less nor greater. Arrays and objects are there, and that is
/// all that can be said of them.
public struct EntryCondition: Sendable, Hashable {
    /// What is looked at.
    public enum Field: Sendable, Hashable {
        /// The value of a key, as ``MetadataValue/text`` gives it.
        case metadata(String)
        /// The id of the source.
        case source
        /// Any of the tags.
        case tag
    }

    /// What must hold of it.
    public enum Test: Sendable, Hashable {
        /// Is this text, or this number however it is written.
        case equals(String)
        /// Is not that, or is not there.
        case differs(String)
        case isOneOf([String])
        case isLess(String)
        case isAtMost(String)
        case isGreater(String)
        case isAtLeast(String)
        /// Begins with these bytes.
        case hasPrefix(String)
        case exists
        case isMissing
    }

    public var field: Field
    public var test: Test

    public init(_ field: Field, _ test: Test) {
        self.field = field
        self.test = test
    }
}

extension EntryCondition: CustomStringConvertible {
    /// As people write it: `year>=2020`.
    public var description: String {
        let name =
            switch field {
            case .metadata(let key): key
            case .source: "source"
            case .tag: "tag"
            }
        return switch test {
        case .equals(let text): "\(name)=\(text)"
        case .differs(let text): "\(name)!=\(text)"
        case .isOneOf(let texts): "\(name) in \(texts.joined(separator: ","))"
        case .isLess(let text): "\(name)<\(text)"
        case .isAtMost(let text): "\(name)<=\(text)"
        case .isGreater(let text): "\(name)>\(text)"
        case .isAtLeast(let text): "\(name)>=\(text)"
        case .hasPrefix(let text): "\(name)^=\(text)"
        case .exists: "\(name) exists"
        case .isMissing: "\(name) missing"
        }
    }
}

extension EntryCondition {
    /// The oracle: whether the condition holds of an entry.
    public func holds(of entry: Entry) -> Bool {
        switch field {
        case .metadata(let key):
            let value = entry.metadata.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
            return test.holds(of: value?.text.map { [$0] } ?? [], exists: value != nil)
        case .source: return test.holds(of: entry.source.map { [$0] } ?? [], exists: entry.source != nil)
        case .tag: return test.holds(of: entry.tags, exists: !entry.tags.isEmpty)
        }
    }
}

extension EntryCondition.Test {
    fileprivate func holds(of texts: [String], exists: Bool) -> Bool {
        func any(_ test: (String) -> Bool) -> Bool { texts.contains(where: test) }
        func compares(with operand: String, _ test: (Int) -> Bool) -> Bool {
            any { Self.compare($0, operand).map(test) ?? false }
        }
        switch self {
        case .equals(let operand): return any { Self.areEqual($0, operand) }
        case .differs(let operand): return !any { Self.areEqual($0, operand) }
        case .isOneOf(let operands): return any { text in operands.contains { Self.areEqual(text, $0) } }
        case .isLess(let operand): return compares(with: operand) { $0 < 0 }
        case .isAtMost(let operand): return compares(with: operand) { $0 <= 0 }
        case .isGreater(let operand): return compares(with: operand) { $0 > 0 }
        case .isAtLeast(let operand): return compares(with: operand) { $0 >= 0 }
        case .hasPrefix(let prefix): return any { $0.utf8.starts(with: prefix.utf8) }
        case .exists: return exists
        case .isMissing: return !exists
        }
    }

    private static func areEqual(_ value: String, _ operand: String) -> Bool {
        ExactText.areSame(value, operand) || (number(operand) != nil && compare(value, operand) == 0)
    }

    /// Whether a text is a number, which may be written in several ways.
    package static func isNumber(_ text: String) -> Bool { number(text) != nil }

    /// How two values stand to each other; `nil` for a number and a text.
    private static func compare(_ left: String, _ right: String) -> Int? {
        switch (number(left), number(right)) {
        case (let a?, let b?):
            if let a = Int64(left), let b = Int64(right) {
                // Beyond 2^53 a Double has not every one.
                a < b ? -1 : a > b ? 1 : 0
            } else {
                a < b ? -1 : a > b ? 1 : 0
            }
        case (nil, nil):
            left.utf8.lexicographicallyPrecedes(right.utf8)
                ? -1 : right.utf8.lexicographicallyPrecedes(left.utf8) ? 1 : 0
        default: nil
        }
    }

    /// The number that a text is, where it is written as JSON writes numbers (RFC 8259, section 6).
    private static func number(_ text: String) -> Double? {
        var rest = text.utf8[...]
        func digits() -> Int {
            let digits = rest.prefix { (48...57).contains($0) }.count
            rest = rest.dropFirst(digits)
            return digits
        }
        func take(_ characters: String) -> Bool {
            guard let first = rest.first, characters.utf8.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        _ = take("-")
        let hasZero = rest.first == UInt8(ascii: "0")
        let whole = digits()
        guard whole == 1 || (whole > 1 && !hasZero) else { return nil }
        if take("."), digits() == 0 { return nil }
        if take("eE") {
            _ = take("+-")
            if digits() == 0 { return nil }
        }
        return rest.isEmpty ? Double(text) : nil
    }
}

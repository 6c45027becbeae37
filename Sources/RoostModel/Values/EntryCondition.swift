import Foundation
import RoostText

/// A condition on one value of an entry, such as `.metadata("year") > "2020"`.
///
/// Two values are compared as numbers if both have the form of a JSON number, and byte by byte as text if
/// neither does. A number is neither less nor greater than a text.
///
/// In an inequality, an operand such as `2026-01`, `2026-01-31` or `2026-01-31T09:00` is a date: it is
/// compared only with dates of these forms, as they are written and in its own precision, so `due<=2026-01`
/// includes the days of January. A year such as `2026` is compared with dates and with numbers.
///
/// An array satisfies a comparison if at least one of its elements does, and ``Test/differs(_:)`` if none of
/// them equals the operand. Objects, and elements that are arrays or objects, can be tested only for
/// existence (``Test/exists`` and ``Test/isMissing``). They always satisfy ``Test/differs(_:)``, and never
/// any other comparison.
///
/// Tags are compared without regard to case and normalization, and a tag equals the tags in which it is
/// nested: the entry with the tag `Garden/Herbs` satisfies ``Test/equals(_:)`` with the operand `garden`.
public struct EntryCondition: Sendable, Hashable {
    /// The value that a condition tests.
    public enum Field: Sendable, Hashable {
        /// The metadata value of the given key, in the form of ``MetadataValue/text``, or the elements of an
        /// array.
        case metadata(String)
        /// The id of the entry's source.
        case source
        /// The tags of the entry. A test is true if it is true for at least one of them. Numbers have no
        /// special meaning when tags are tested for equality.
        case tag
    }

    /// The comparison that a condition makes.
    public enum Test: Sendable, Hashable {
        /// The value equals the text, or both denote the same number.
        case equals(String)
        /// The value does not equal the text, or is missing.
        case differs(String)
        /// The value equals one of the texts.
        case isOneOf([String])
        /// The value is less than the operand.
        case isLess(String)
        /// The value is less than or equal to the operand.
        case isAtMost(String)
        /// The value is greater than the operand.
        case isGreater(String)
        /// The value is greater than or equal to the operand.
        case isAtLeast(String)
        /// The UTF-8 bytes of the value begin with those of the text.
        case hasPrefix(String)
        /// The entry has the value.
        case exists
        /// The entry does not have the value.
        case isMissing
    }

    /// The value that the condition tests.
    public var field: Field
    /// The comparison that the condition makes.
    public var test: Test

    /// Creates a condition.
    public init(_ field: Field, _ test: Test) { (self.field, self.test) = (field, test) }
}

extension EntryCondition {
    /// Returns whether an entry satisfies the condition.
    ///
    /// This is the reference implementation with which tests compare the queries of storage providers.
    public func holds(of entry: Entry) -> Bool {
        switch field {
        case .metadata(let key):
            let value = entry.metadata.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
            return test.holds(of: value?.comparableTexts ?? [], exists: value != nil)
        case .source: return test.holds(of: entry.source.map { [$0] } ?? [], exists: entry.source != nil)
        case .tag: return test.holds(ofTags: entry.tags)
        }
    }
}

extension EntryCondition.Test {
    func holds(of texts: [String], exists: Bool) -> Bool {
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
        ExactText.areSame(value, operand)
            || (number(operand) != nil && number(value) != nil && compare(value, operand) == 0)
    }

    /// Returns whether a text has the form of a JSON number. Such a text equals any other text that denotes
    /// the same number.
    package static func isNumber(_ text: String) -> Bool { number(text) != nil }

    /// Returns -1, 0 or 1 if the left value is less than, equal to or greater than the right one, the
    /// operand, or `nil` if these are not ordered, because one is a number and the other a text, or only the
    /// operand is a date.
    private static func compare(_ left: String, _ right: String) -> Int? {
        if isDateOrYear(right), isDate(left) { return order(left.utf8.prefix(right.utf8.count), right.utf8) }
        guard !isDate(right) else { return nil }
        return switch (number(left), number(right)) {
        case (let a?, let b?):
            if let a = Int64(left), let b = Int64(right) {
                // Integers are compared as Int64, because Double cannot represent every integer above 2^53.
                a < b ? -1 : a > b ? 1 : 0
            } else {
                a < b ? -1 : a > b ? 1 : 0
            }
        case (nil, nil): order(left.utf8, right.utf8)
        default: nil
        }
    }

    private static func order(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Int {
        left.lexicographicallyPrecedes(right) ? -1 : right.lexicographicallyPrecedes(left) ? 1 : 0
    }

    /// Returns the number that a text denotes, or `nil` if it does not have the form of a JSON number (RFC
    /// 8259, section 6).
    private static func number(_ text: String) -> Double? {
        var text = text
        let isNumber = text.withUTF8 { bytes in
            var reader = JSONReader(UnsafeRawBufferPointer(bytes))
            return (try? reader.number())?.range == bytes.indices
        }
        return isNumber ? Double(text) : nil
    }
}

extension EntryCondition.Test {
    /// The form of dates. Each character stands for itself, except that `0` stands for any digit, `1` and `3`
    /// for a digit up to it, and `T` also for a space. A month ends after 7 bytes, a day after 10; a time can
    /// have seconds and a time zone after its end.
    package static let datePattern = "0000-10-30T00:00"

    package static let (monthLength, dayLength) = (7, 10)
    private static let yearLength = 4

    /// Returns whether a text has the form of a month, a day or a time, such as `2026-01`, `2026-01-31`,
    /// `2026-01-31T09:00:00Z` or `2026-01-31 09:00`.
    package static func isDate(_ text: String) -> Bool {
        let length = text.utf8.count
        return (length == monthLength || length == dayLength || length >= datePattern.utf8.count)
            && hasFormOfDate(text)
    }

    /// Returns whether an operand denotes a period or a time with which dates are compared: a date or a year.
    /// A text such as `0042` is neither a year nor a number.
    package static func isDateOrYear(_ operand: String) -> Bool {
        operand.utf8.count == yearLength
            ? hasFormOfDate(operand) && operand.utf8.first != UInt8(ascii: "0") : isDate(operand)
    }

    private static func hasFormOfDate(_ text: String) -> Bool {
        zip(text.utf8, datePattern.utf8).allSatisfy { byte, form in
            switch form {
            case UInt8(ascii: "0"): (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            case UInt8(ascii: "1"), UInt8(ascii: "3"): (UInt8(ascii: "0")...form).contains(byte)
            case UInt8(ascii: "T"): byte == form || byte == UInt8(ascii: " ")
            default: byte == form
            }
        }
    }
}

extension EntryCondition.Test {
    /// Returns whether the test is true for the tags of an entry: for at least one of them or, for
    /// ``differs(_:)``, for all.
    func holds(ofTags tags: [String]) -> Bool {
        func any(of operands: [String]) -> Bool {
            let names = operands.map(TagName.init)
            return tags.contains { tag in
                let tag = TagName(tag)
                return names.contains { $0.includes(tag) }
            }
        }
        switch self {
        case .equals(let operand): return any(of: [operand])
        case .differs(let operand): return !any(of: [operand])
        case .isOneOf(let operands): return any(of: operands)
        case .exists: return !tags.isEmpty
        case .isMissing: return tags.isEmpty
        case .isLess(let operand): return compare(tags, Self.isLess, TagName(operand).text)
        case .isAtMost(let operand): return compare(tags, Self.isAtMost, TagName(operand).text)
        case .isGreater(let operand): return compare(tags, Self.isGreater, TagName(operand).text)
        case .isAtLeast(let operand): return compare(tags, Self.isAtLeast, TagName(operand).text)
        case .hasPrefix(let prefix):
            // The name of a tag would not have the slash in `project/`.
            return compare(tags, Self.hasPrefix, prefix.lowercased())
        }
    }

    private func compare(_ tags: [String], _ test: (String) -> Self, _ operand: String) -> Bool {
        let names = tags.map { TagName($0).text.precomposedStringWithCanonicalMapping }
        return test(operand.precomposedStringWithCanonicalMapping).holds(of: names, exists: !tags.isEmpty)
    }

    /// Returns those of the given tags for which the test is true. For ``differs(_:)`` and ``isMissing``,
    /// these are the tags that an entry must not have.
    ///
    /// A storage that cannot compare names of tags itself looks up the entries with these tags. The number of
    /// different tags in a store is usually small.
    package func tags(among tags: some Sequence<String>) -> [String] {
        let test: Self =
            switch self {
            case .differs(let operand): .equals(operand)
            case .isMissing: .exists
            default: self
            }
        return tags.filter { test.holds(ofTags: [$0]) }
    }
}

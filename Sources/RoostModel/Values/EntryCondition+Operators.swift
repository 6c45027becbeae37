// Conditions written as Swift expressions:
//
//     [
//         .metadata("year") >= 2020, .metadata("lang").isOneOf(["de", "fr"]), .tag("garden"),
//         .source != "inbox",
//     ]
//
// A value of these operators must not be an array or object, because these cannot be compared.

extension EntryCondition.Field {
    /// Returns the condition that a field equals a value.
    public static func == (field: Self, value: MetadataValue) -> EntryCondition {
        EntryCondition(field, .equals(operand(value)))
    }

    /// Returns the condition that a field differs from a value or is missing.
    public static func != (field: Self, value: MetadataValue) -> EntryCondition {
        EntryCondition(field, .differs(operand(value)))
    }

    /// Returns the condition that a field is less than a value.
    public static func < (field: Self, value: MetadataValue) -> EntryCondition {
        EntryCondition(field, .isLess(operand(value)))
    }

    /// Returns the condition that a field is less than or equal to a value.
    public static func <= (field: Self, value: MetadataValue) -> EntryCondition {
        EntryCondition(field, .isAtMost(operand(value)))
    }

    /// Returns the condition that a field is greater than a value.
    public static func > (field: Self, value: MetadataValue) -> EntryCondition {
        EntryCondition(field, .isGreater(operand(value)))
    }

    /// Returns the condition that a field is greater than or equal to a value.
    public static func >= (field: Self, value: MetadataValue) -> EntryCondition {
        EntryCondition(field, .isAtLeast(operand(value)))
    }

    /// Returns the condition that a field equals one of the given values.
    public func isOneOf(_ values: [MetadataValue]) -> EntryCondition {
        EntryCondition(self, .isOneOf(values.map(Self.operand)))
    }

    /// Returns the condition that a field begins with the given text. They are compared byte by byte, except
    /// for tags, whose case does not matter.
    public func hasPrefix(_ prefix: String) -> EntryCondition { EntryCondition(self, .hasPrefix(prefix)) }

    /// The condition that an entry has the field.
    public var exists: EntryCondition { EntryCondition(self, .exists) }

    /// The condition that an entry does not have the field.
    public var isMissing: EntryCondition { EntryCondition(self, .isMissing) }

    private static func operand(_ value: MetadataValue) -> String {
        guard let text = value.text else {
            preconditionFailure(
                "a condition cannot compare arrays or objects; use exists or isMissing instead")
        }
        return text
    }
}

extension EntryCondition {
    /// Returns the condition that an entry has the given tag or one that is nested in it, in any case:
    /// `.tag("garden")` is true for an entry with the tag `Garden/Herbs`.
    public static func tag(_ tag: String) -> EntryCondition { EntryCondition(.tag, .equals(tag)) }

    /// Returns a metadata field, for use in a condition such as `.metadata("draft").exists`.
    ///
    /// - Parameter key: The key of the metadata.
    public static func metadata(_ key: String) -> Field { .metadata(key) }

    /// The source of an entry, for use in a condition such as `.source.hasPrefix("file:")`.
    public static var source: Field { .source }

    /// The tags of an entry, for use in a condition such as `.tag.hasPrefix("project/")`.
    public static var tag: Field { .tag }
}

extension EntryFilter: ExpressibleByArrayLiteral {
    /// Creates a filter that matches an entry if all of the given conditions are true for it.
    public init(arrayLiteral conditions: EntryCondition...) {
        self.init()
        self.conditions = conditions
    }
}

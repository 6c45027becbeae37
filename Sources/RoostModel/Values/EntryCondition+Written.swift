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
    ///
    /// - Parameters:
    ///   - text: The condition.
    ///   - times: Reads times.
    package init(written text: String, _ times: TimeArgument) throws(Fault) {
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
        guard !Self.isQuoted(operand, in: text) else { return }
        guard let first = times.day(operand), let next = times.day(operand, isNext: true) else { return }
        switch test {
        case .isLess: test = .isLess(first)
        case .isAtMost: test = .isLess(next)
        case .isGreater: test = .isAtLeast(next)
        case .isAtLeast: test = .isAtLeast(first)
        default: break
        }
    }

    /// Returns whether a condition that a user wrote has its operand in quotation marks.
    private static func isQuoted(_ operand: String, in text: String) -> Bool {
        text.hasSuffix("\"\(operand)\"")
    }

    /// Whether the field has the name of a date that each entry has.
    package var comparesDatesOfEntry: Bool { field == .metadata("created") || field == .metadata("updated") }
}

extension EntryCondition.Test {
    /// The operand of an inequality; `nil` for other tests.
    fileprivate var bound: String? {
        switch self {
        case .isLess(let operand), .isAtMost(let operand), .isGreater(let operand), .isAtLeast(let operand):
            operand
        default: nil
        }
    }
}

import RoostModel

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

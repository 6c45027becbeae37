import RoostModel

extension ClusteringRun {
    /// The name of the parameter that records the conditions that an entry had to meet. A run over all
    /// entries has no such parameter.
    static let conditionsKey = "among"

    static let clusteredCountKey = "grouped"

    var clusteredCount: Int {
        if case .integer(let count)? = parameters[Self.clusteredCountKey] {
            min(max(0, Int(clamping: count)), Int(UInt32.max))
        } else {
            stamp.entryCount
        }
    }

    var hasConditions: Bool { parameters[Self.conditionsKey] != nil }

    /// The conditions that an entry had to meet; empty for a run over all entries, `nil` if they cannot be
    /// decoded.
    var conditions: [EntryCondition]? {
        guard let recorded = parameters[Self.conditionsKey] else { return [] }
        guard case .array(let values) = recorded else { return nil }
        let conditions = values.compactMap(EntryCondition.init(recorded:))
        return conditions.count == values.count ? conditions : nil
    }

    static func recorded(_ conditions: [EntryCondition]) -> MetadataValue {
        .array(conditions.map(\.recorded))
    }
}

extension EntryCondition {
    /// The form in which a run records the condition: `{"field": "metadata", "key": …, "test": "equals",
    /// "value": …}`.
    fileprivate var recorded: MetadataValue {
        var object: [String: MetadataValue] = [:]
        switch field {
        case .metadata(let key): (object["field"], object["key"]) = ("metadata", .string(key))
        case .source: object["field"] = "source"
        case .tag: object["field"] = "tag"
        }
        let (name, value) = test.recorded
        object["test"] = .string(name)
        object["value"] = value
        return .object(object)
    }

    fileprivate init?(recorded: MetadataValue) {
        guard case .object(let object) = recorded, let name = object["test"]?.string,
            let test = Test(recorded: name, object["value"])
        else { return nil }
        switch (object["field"]?.string, object["key"]?.string) {
        case ("metadata", let key?): self.init(.metadata(key), test)
        case ("source", nil): self.init(.source, test)
        case ("tag", nil): self.init(.tag, test)
        default: return nil
        }
    }
}

extension EntryCondition.Test {
    fileprivate var recorded: (name: String, value: MetadataValue?) {
        switch self {
        case .equals(let text): ("equals", .string(text))
        case .differs(let text): ("differs", .string(text))
        case .isOneOf(let texts): ("isOneOf", .array(texts.map { .string($0) }))
        case .isLess(let text): ("isLess", .string(text))
        case .isAtMost(let text): ("isAtMost", .string(text))
        case .isGreater(let text): ("isGreater", .string(text))
        case .isAtLeast(let text): ("isAtLeast", .string(text))
        case .hasPrefix(let text): ("hasPrefix", .string(text))
        case .exists: ("exists", nil)
        case .isMissing: ("isMissing", nil)
        }
    }

    fileprivate init?(recorded name: String, _ value: MetadataValue?) {
        switch (name, value) {
        case ("equals", .string(let text)?): self = .equals(text)
        case ("differs", .string(let text)?): self = .differs(text)
        case ("isOneOf", .array(let values)?):
            let texts = values.compactMap(\.string)
            guard texts.count == values.count else { return nil }
            self = .isOneOf(texts)
        case ("isLess", .string(let text)?): self = .isLess(text)
        case ("isAtMost", .string(let text)?): self = .isAtMost(text)
        case ("isGreater", .string(let text)?): self = .isGreater(text)
        case ("isAtLeast", .string(let text)?): self = .isAtLeast(text)
        case ("hasPrefix", .string(let text)?): self = .hasPrefix(text)
        case ("exists", nil): self = .exists
        case ("isMissing", nil): self = .isMissing
        default: return nil
        }
    }
}

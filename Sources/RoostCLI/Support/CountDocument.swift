/// The JSON output for a number of entries: the values of the properties by their names, and the number.
struct CountDocument: Encodable {
    var values: [(name: String, value: String?)]
    var count: Int

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for (name, value) in values { try container.encode(value, forKey: Key(stringValue: name)) }
        try container.encode(count, forKey: Key(stringValue: "count"))
    }
}

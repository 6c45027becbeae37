import RoostModel

/// A row of another program in JSON: an object with a text, a vector and other values.
///
/// The numbers of a vector are decoded directly, because a vector of metadata values takes many times as long
/// and as much memory.
struct VectorRow: Decodable {
    /// The values by their names, without ``vector``.
    var values: [String: MetadataValue]
    /// The name and the numbers of the vector; `nil` if the row has none, or if it is not an array of
    /// numbers.
    var vector: (name: String, numbers: [Float])?

    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Creates a row whose vector is one of the values.
    init(_ values: [String: MetadataValue]) { self.values = values }

    init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: Name.self)
        let name = try VectorText.vectorNames.first { name in
            let key = Name(stringValue: name)
            return try row.contains(key) && !row.decodeNil(forKey: key)
        }
        values = [:]
        for key in row.allKeys {
            if key.stringValue == name, let numbers = try? row.decode([Float].self, forKey: key) {
                vector = (key.stringValue, numbers)
            } else {
                values[key.stringValue] = try row.decode(MetadataValue.self, forKey: key)
            }
        }
    }

    /// The names of all values.
    var names: [String] { Array(values.keys) + (vector.map { [$0.name] } ?? []) }
}

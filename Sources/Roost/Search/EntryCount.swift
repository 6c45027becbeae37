/// A number of entries with the same values of some properties.
public struct EntryCount: Sendable, Hashable, Codable {
    /// The values, in the order of the properties; `nil` for entries without a value.
    public var values: [String?]
    /// The number of entries.
    public var count: Int

    /// Creates a count.
    public init(values: [String?], count: Int) {
        self.values = values
        self.count = count
    }
}

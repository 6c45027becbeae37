/// A set of fields, stored as one bit for each.
struct TextFieldSet: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    /// The fields other than the body, in order of their bits.
    static let fields: [TextField] = [.title, .headings, .path, .tags]
    static let all = TextFieldSet(rawValue: 0b1111)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Creates the set of one field; empty for the body.
    init(_ field: TextField) { rawValue = Self.fields.firstIndex(of: field).map { 1 << UInt8($0) } ?? 0 }

    /// The members, in order of their bits.
    var members: [TextField] { Self.fields.filter { contains(TextFieldSet($0)) } }
}

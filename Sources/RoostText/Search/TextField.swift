/// A part of an entry whose words are weighed separately.
public enum TextField: String, Sendable, Hashable, CaseIterable, Codable, CodingKeyRepresentable {
    /// The title: the metadata `title`, or that of the text's front matter or first heading.
    case title
    /// The headings.
    case headings
    /// The path of the source and the key of the entry in it.
    case path
    /// The tags.
    case tags
    /// The text.
    case body
}

struct TextFieldSet: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    /// The fields other than the body, in order of their bits.
    static let fields: [TextField] = [.title, .headings, .path, .tags]
    static let all = TextFieldSet(rawValue: 0b1111)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ field: TextField) { rawValue = Self.fields.firstIndex(of: field).map { 1 << UInt8($0) } ?? 0 }

    var members: [TextField] { Self.fields.filter { contains(TextFieldSet($0)) } }
}

/// The text of a document and of its other fields, as an index reads them.
package struct IndexedText: Sendable, Hashable {
    package var body: String
    /// The text of each other field. Fields without text can be omitted.
    package var fields: [TextField: String]

    package init(_ body: String, fields: [TextField: String] = [:]) {
        (self.body, self.fields) = (body, fields)
    }
}

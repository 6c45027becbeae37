import Foundation
import RoostDocuments
import RoostModel

/// The tags and dates in the columns, or JSON keys, of a row.
struct RowFields {
    /// The tags, in order.
    let tags: [String]
    /// The date of creation; `nil` if the row has none that is clear.
    let createdAt: Date?
    /// The date of the last change; `nil` if the row has none that is clear.
    let updatedAt: Date?
    /// The values that become metadata: all but an array of tags.
    let metadata: [String: MetadataValue]

    /// The names of columns in order of precedence: a general `date` is used if there is no specific one.
    private static let createdColumns = ["created", "createdAt", "created_at", "date"]
    private static let updatedColumns = ["updated", "updatedAt", "updated_at", "modified"]

    /// Interprets the values of a row.
    init(_ values: [String: MetadataValue]) {
        func date(_ columns: [String]) -> Date? {
            for column in columns {
                if let text = values[column]?.text, let date = DateReader.instant(text) { return date }
            }
            return nil
        }
        tags = values["tags"].map(Self.tags) ?? []
        (createdAt, updatedAt) = (date(Self.createdColumns), date(Self.updatedColumns))
        var metadata = values
        if case .array(let tags)? = values["tags"], tags.allSatisfy({ $0.string != nil }) {
            metadata["tags"] = nil
        }
        self.metadata = metadata
    }

    /// Returns the tags of an array of texts, or of a text in which commas or semicolons separate them. Tags
    /// can contain spaces, so these do not separate tags.
    private static func tags(_ value: MetadataValue) -> [String] {
        switch value {
        case .array(let values):
            return values.allSatisfy { $0.string != nil } ? values.compactMap(\.string) : []
        case .string(let text):
            var known: Set<String> = []
            return text.split { $0 == "," || $0 == ";" }.map { part in
                let tag = part.trimmingCharacters(in: .whitespacesAndNewlines)
                return tag.hasPrefix("#") ? String(tag.dropFirst()) : tag
            }.filter { !$0.isEmpty && known.insert($0).inserted }
        default: return []
        }
    }
}

import Foundation
import RoostModel

/// An ``EntryArchive`` that is a single JSON object or array. Its entries are decoded one after another,
/// because a decoder of the complete archive needs many times its size in memory.
struct EntryDocument {
    private let parts: JSONParts
    private let ranges: [Range<Int>]
    /// The ranges of the members of an object; `nil` for an array.
    private let members: [String: Range<Int>]?
    private let name: String

    /// Finds the entries. Returns `nil` if the data is neither an array nor an object with the array
    /// `entries`, or if it is truncated.
    ///
    /// - Parameter name: The name of the archive for error messages.
    init?(_ data: Data, name: String) {
        let parts = JSONParts(Self.utf8(data))
        if let elements = parts.elements(in: parts.all) {
            (ranges, members) = (elements, nil)
        } else if let members = parts.members(in: parts.all),
            let elements = members["entries"].flatMap({ parts.elements(in: $0) })
        {
            (ranges, self.members) = (elements, members)
        } else {
            return nil
        }
        (self.parts, self.name) = (parts, name)
    }

    /// Returns the text in UTF-8 without a byte order mark. Other programs may write UTF-16.
    private static func utf8(_ data: Data) -> Data {
        let decoded = FileContents.isUTF16(data) ? String(data: data, encoding: .utf16) : nil
        let text = decoded.map { Data($0.utf8) } ?? data
        return text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text
    }

    /// Returns the entries, the embedding space that the archive states, and whether an entry is a row of a
    /// table.
    ///
    /// - Throws: ``RoostError`` with `.badInput` or `.newerFormat`; `CancellationError`.
    func entries() throws -> (entries: [Entry], space: EmbeddingSpace?, hasRows: Bool) {
        // The entries of a newer format can have another form.
        let version = members?["schemaVersion"].flatMap { decoded(Int.self, $0) }
        if let version { try EntryArchive.checkVersion(version, name) }
        let decoder = EntryArchive.decoder()
        var entries: [Entry] = []
        var hasRows = false
        entries.reserveCapacity(ranges.count)
        for range in ranges {
            try Task.checkCancellation()
            do {
                let archived = try decoder.decode(ArchivedEntry.self, from: parts.data(range))
                entries.append(archived.entry)
                hasRows = hasRows || archived.isRow
            } catch {
                throw failure(error, at: range, number: entries.count + 1)
            }
        }
        guard let members else { return (entries, nil, hasRows) }
        let space = members["space"].map { decoded(EmbeddingSpace?.self, $0) } ?? .some(nil)
        guard version != nil, let space else {
            throw EntryArchive.invalid(
                name, "its header", JSONFault.description(of: parts.data(parts.all), fallback: ""))
        }
        return (entries, space, hasRows)
    }

    private func decoded<Value: Decodable>(_ type: Value.Type, _ range: Range<Int>) -> Value? {
        try? EntryArchive.decoder().decode(type, from: parts.data(range))
    }

    /// Returns the error for an entry that cannot be decoded.
    private func failure(_ error: any Error, at range: Range<Int>, number: Int) -> RoostError {
        EntryArchive.invalid(
            name, "entry \(number)",
            (error as? ArchivedEntry.Fault)?.reason
                ?? JSONFault.description(of: parts.data(range), fallback: ""))
    }
}

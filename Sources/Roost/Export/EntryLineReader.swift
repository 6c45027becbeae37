import Foundation
import RoostModel

/// Reads the entries of an ``EntryArchive`` in JSON Lines, one after another.
struct EntryLineReader: EntryReader {
    private var lines: ByteLines
    private let name: String
    private let decoder = EntryArchive.decoder()
    private var isFirst = true
    /// The embedding space that the header states; `nil` before the first entry, or without a header.
    private(set) var space: EmbeddingSpace?
    private(set) var hasRows = false

    /// Creates a reader.
    ///
    /// - Parameter name: The name of the archive for error messages.
    init(_ lines: ByteLines, name: String) { (self.lines, self.name) = (lines, name) }

    mutating func next() throws -> Entry? {
        while let line = try lines.next() {
            try Task.checkCancellation()
            if line.allSatisfy(\.isJSONSpace) { continue }
            if isFirst, let header = try? decoder.decode(EntryArchive.Header.self, from: line) {
                isFirst = false
                try EntryArchive.checkVersion(header.schemaVersion, name)
                space = header.space
                continue
            }
            isFirst = false
            do {
                let archived = try decoder.decode(ArchivedEntry.self, from: line)
                hasRows = hasRows || archived.isRow
                return archived.entry
            } catch let fault as ArchivedEntry.Fault {
                throw RoostError(
                    .badInput,
                    "cannot import \(name): line \(lines.number): \(fault.reason); nothing was imported")
            } catch {
                throw EntryArchive.invalid(
                    name, "line \(lines.number)", JSONFault.description(of: line, fallback: ""))
            }
        }
        return nil
    }
}

package import Foundation
package import RoostModel

/// Reads rows in the forms of `llm embed-multi` (https://llm.datasette.io/en/stable/embeddings/cli.html): the
/// first column, or the key `id`, is the id of a row; the other values, separated by spaces, are its text.
package struct LLMRows {
    /// The form of a file.
    package enum Format: String, Sendable, CaseIterable {
        case json, csv, tsv
        /// JSON Lines.
        case nl
    }

    private let data: Data
    private let name: String

    /// Creates a reader of a file.
    package init(_ data: Data, name: String) {
        (self.data, self.name) = (data, name)
    }

    /// Returns the rows.
    ///
    /// - Parameter format: The form of the file; `nil` to detect it.
    /// - Throws: ``RoostError`` with `.badInput` if a row has no id or no text.
    package func records(_ format: Format?) throws -> [VectorRecord] {
        let text = try RecordReader.text(data, name: name)
        switch format ?? detectedFormat(text) {
        case .csv: return try table(text, DelimitedText.separator(of: text))
        case .tsv: return try table(text, "\t")
        case .json:
            guard let rows = try? JSONDecoder().decode([[String: MetadataValue]].self, from: data) else {
                let fault = "it is not a JSON array of objects"
                throw RoostError(.badInput, "cannot read \(name): \(fault)")
            }
            return try rows.enumerated().map { try record($1, "row \($0 + 1)") }
        case .nl:
            let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            return try lines.enumerated().compactMap { index, line in
                guard !line.allSatisfy(\.isJSONSpace) else { return nil }
                guard let row = try? JSONDecoder().decode([String: MetadataValue].self, from: line) else {
                    throw failure(
                        "line \(index + 1)",
                        JSONFault.description(of: line, fallback: "it is not a JSON object"))
                }
                return try record(row, "line \(index + 1)")
            }
        }
    }

    private func detectedFormat(_ text: String) -> Format {
        let start = text.drop { $0.isWhitespace }
        if start.hasPrefix("[") { return .json }
        if start.hasPrefix("{") { return .nl }
        return (start.prefix { !$0.isNewline }).contains("\t") ? .tsv : .csv
    }

    private func table(_ text: String, _ separator: Character) throws -> [VectorRecord] {
        let rows = try DelimitedText(separator: separator).rows(of: text, name: name).dropFirst()
        return try rows.map { row in
            try record(id: row.fields[0], row.fields.dropFirst().joined(separator: " "), "line \(row.line)")
        }
    }

    private func record(_ row: [String: MetadataValue], _ location: String) throws -> VectorRecord {
        // The order of the keys of an object is not known, so the texts are in the order of the keys' names.
        let texts = row.filter { $0.key != "id" && $0.value != .null }.sorted { $0.key < $1.key }.compactMap(
            \.value.text)
        let id = row["id"].flatMap { $0 == .null ? nil : $0.text } ?? ""
        return try record(id: id, texts.joined(separator: " "), location)
    }

    private func record(id: String, _ text: String, _ location: String) throws -> VectorRecord {
        guard !id.isEmpty else { throw failure(location, "it has no id") }
        guard text.contains(where: { !$0.isWhitespace }) else { throw failure(location, "it has no text") }
        return VectorRecord(key: id, text: text, vector: [])
    }

    private func failure(_ location: String, _ fault: String) -> RoostError {
        RoostError(.badInput, "cannot read \(name): \(location): \(fault); nothing was imported")
    }
}

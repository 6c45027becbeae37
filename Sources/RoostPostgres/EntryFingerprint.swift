import RoostFiles
import RoostModel

/// The SHA-256 digest of everything in an entry except its location. Two entries with the same fingerprint
/// and the same location are equal, so a commit recognizes unchanged entries without reading them.
enum EntryFingerprint {
    static func of(_ entry: Entry) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(entry.id)
        append(entry.content, to: &bytes)
        append(entry.source, to: &bytes)
        append(entry.key, to: &bytes)
        bytes.append(bigEndian: entry.createdAt.milliseconds)
        bytes.append(bigEndian: entry.updatedAt.milliseconds)
        bytes.append(bigEndian: UInt64(entry.tags.count))
        for tag in entry.tags { append(tag, to: &bytes) }
        append(.object(entry.metadata), to: &bytes)
        append(entry.structure?.base64, to: &bytes)
        append(entry.embeddings, to: &bytes)
        bytes.append(bigEndian: UInt64(entry.passages.count))
        for passage in entry.passages {
            for number in [
                passage.ordinal, passage.utf8Range.lowerBound, passage.utf8Range.upperBound,
                passage.tokenCount,
            ] { bytes.append(bigEndian: Int64(number)) }
            append(passage.vector, to: &bytes)
        }
        return SHA256.hash(bytes)
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(bigEndian: UInt64(text.utf8.count))
        bytes += text.utf8
    }

    private static func append(_ text: String?, to bytes: inout [UInt8]) {
        bytes.append(text == nil ? 0 : 1)
        if let text { append(text, to: &bytes) }
    }

    private static func append(_ vector: [Float], to bytes: inout [UInt8]) {
        bytes.append(bigEndian: UInt64(vector.count))
        // Adding zero turns -0 into 0, because the two are equal.
        bytes.append(elements: vector.map { $0 + 0 })
    }

    /// Appends a value so that equal values have equal bytes: a number with an integral value equals the
    /// integer.
    private static func append(_ value: MetadataValue, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes.append(0)
        case .bool(let value): bytes += [1, value ? 1 : 0]
        case .integer(let value):
            bytes.append(2)
            bytes.append(bigEndian: value)
        case .number(let value):
            if let whole = Int64(exactly: value) { return append(.integer(whole), to: &bytes) }
            bytes.append(3)
            bytes.append(bigEndian: value.bitPattern)
        case .string(let value):
            bytes.append(4)
            append(value, to: &bytes)
        case .array(let values):
            bytes.append(5)
            bytes.append(bigEndian: UInt64(values.count))
            for value in values { append(value, to: &bytes) }
        case .object(let values):
            bytes.append(6)
            bytes.append(bigEndian: UInt64(values.count))
            for (key, value) in values.sorted(by: { ExactText($0.key) < ExactText($1.key) }) {
                append(key, to: &bytes)
                append(value, to: &bytes)
            }
        }
    }
}

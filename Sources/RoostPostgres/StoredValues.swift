import Foundation
import RoostFiles
import RoostModel

/// One value of an entry that filters compare: its source, a tag, or a metadata value.
struct Attribute: Hashable {
    /// The digest of the field: the source, the tags, or a metadata key.
    let name: UUID
    /// The digest of the value; ``noValue`` if the metadata value cannot be compared.
    let value: UUID
    let text: [UInt8]?

    static let source = Stored.shortDigest(.source, "")
    static let tag = Stored.shortDigest(.tag, "")
    /// The value of a metadata key without comparable texts, such as an object.
    static let noValue = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    static func metadata(_ key: String) -> UUID { Stored.shortDigest(.metadataKey, key) }

    static func value(_ text: String) -> UUID { Stored.shortDigest(.value, text) }

    private init(_ name: UUID, _ text: String?) {
        self.name = name
        value = text.map(Self.value) ?? Self.noValue
        self.text = text.map { Array($0.utf8) }
    }

    static func all(of entry: Entry) -> Set<Attribute> {
        var attributes = Set(entry.tags.map { Attribute(tag, $0) })
        if let text = entry.source { attributes.insert(Attribute(source, text)) }
        for (key, value) in entry.metadata {
            let name = metadata(key)
            let texts = value.comparableTexts
            if texts.isEmpty { attributes.insert(Attribute(name, nil)) }
            for text in texts { attributes.insert(Attribute(name, text)) }
        }
        return attributes
    }

    var number: ComparedNumber? { text.flatMap { ComparedNumber(String(decoding: $0, as: UTF8.self)) } }
}

/// A number in the form in which filters compare it. Integers are compared exactly if both numbers are
/// integers.
struct ComparedNumber {
    let double: Double
    let integer: Int64?

    init?(_ text: String) {
        guard EntryCondition.Test.isNumber(text), let double = Double(text) else { return nil }
        self.double = double
        integer = Int64(text)
    }
}

enum Stored {
    /// - Parameter object: The object and its damage, for example "an entry whose checksum does not match".
    static func damaged(_ object: String) -> StorageError {
        StorageError(.damaged, "the store is damaged: it contains \(object)", remedy: .inspectStore)
    }

    static func json(_ value: some Encodable) throws -> [UInt8] {
        Array(try JSONEncoder.canonical.encode(value))
    }

    static func json(metadata value: MetadataValue) -> [UInt8] {
        var text: [UInt8] = []
        text.append(metadata: value)
        return text
    }

    static func value<Value: Decodable>(_ type: Value.Type, _ bytes: UnsafeRawBufferPointer) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw damaged("a value that is not a valid \(type)")
        }
    }

    /// Returns the first 16 bytes of the SHA-256 digest of a text, with which an index finds texts of any
    /// length.
    ///
    /// - Parameter kind: The kind of the text; equal texts of different kinds have different digests.
    static func shortDigest(_ kind: DigestKind, _ text: String) -> UUID {
        var bytes = [kind.rawValue]
        bytes += text.utf8
        let digest = SHA256.hash(bytes)
        return digest.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// The kinds of texts that an index finds by their digests. The raw values are part of the stored format.
    enum DigestKind: UInt8 {
        case source = 1
        case tag = 2
        case metadataKey = 3
        case value = 4
    }

    /// Returns the checksum with which those of a store's rows begin, so a row that was copied from another
    /// store is detected.
    static func checksumSeed(_ store: UUID) -> UInt32 {
        var field: [UInt8] = []
        store.write(to: &field)
        return field.withUnsafeBytes { CRC32C.checksum($0) }
    }
}

/// The SHA-256 digest of everything in an entry except its location. Two entries with the same fingerprint
/// and the same location are equal, so a commit recognizes unchanged entries without reading them.
enum EntryFingerprint {
    static func of(_ entry: Entry) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(entry.id)
        for text in [entry.content, entry.source, entry.key] { text.write(to: &bytes) }
        entry.createdAt.milliseconds.write(to: &bytes)
        entry.updatedAt.milliseconds.write(to: &bytes)
        append(.array(entry.tags.map { .string($0) }), to: &bytes)
        append(.object(entry.metadata), to: &bytes)
        (entry.structure?.base64(of: entry.content)).write(to: &bytes)
        append(entry.embeddings, to: &bytes)
        for passage in entry.passages {
            for number in [
                passage.ordinal, passage.utf8Range.lowerBound, passage.utf8Range.upperBound,
                passage.tokenCount,
            ] { number.write(to: &bytes) }
            append(passage.vector, to: &bytes)
        }
        return SHA256.hash(bytes)
    }

    private static func append(_ vector: [Float], to bytes: inout [UInt8]) {
        vector.count.write(to: &bytes)
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
            value.write(to: &bytes)
        case .number(let value):
            if let whole = Int64(exactly: value) { return append(.integer(whole), to: &bytes) }
            bytes.append(3)
            value.write(to: &bytes)
        case .string(let value):
            bytes.append(4)
            value.write(to: &bytes)
        case .array(let values):
            bytes.append(5)
            values.count.write(to: &bytes)
            for value in values { append(value, to: &bytes) }
        case .object(let values):
            bytes.append(6)
            values.count.write(to: &bytes)
            for (key, value) in values.sorted(by: { ExactText($0.key) < ExactText($1.key) }) {
                key.write(to: &bytes)
                append(value, to: &bytes)
            }
        }
    }
}

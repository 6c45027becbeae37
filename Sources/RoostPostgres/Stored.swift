import Foundation
import RoostFiles
import RoostModel

/// Conversions between values and their stored forms.
enum Stored {
    /// Returns the error for a store that contains a damaged object.
    ///
    /// - Parameter object: The object and its damage, for example "an entry whose checksum does not match".
    static func damaged(_ object: String) -> StorageError {
        StorageError(.damaged, "the store is damaged: it contains \(object)", remedy: .inspectStore)
    }

    static func json(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
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
        field.append(bigEndian: Int32(16))
        field.append(store)
        return field.withUnsafeBytes { CRC32C.checksum($0) }
    }
}

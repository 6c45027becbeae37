import Foundation

/// A structure in Thrift's compact protocol
/// (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md), in which Parquet
/// files store their headers and metadata.
///
/// The fields must be added in ascending order of their ids.
struct ThriftStruct {
    private enum Kind: UInt8 {
        case yes = 1
        case no = 2
        case int32 = 5
        case int64 = 6
        case binary = 8
        case list = 9
        case structure = 12
    }

    private var fields = Data()
    private var lastID = 0

    /// The encoded structure.
    var data: Data { fields + [0] }

    /// Returns a number in groups of 7 bits, the lowest first (ULEB128).
    static func varint(_ number: UInt64) -> Data {
        var (rest, bytes) = (number, Data())
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
        return bytes
    }

    private static func zigzag(_ number: Int) -> Data {
        varint(UInt64(bitPattern: Int64(number << 1) ^ Int64(number >> 63)))
    }

    private static func bytes(of text: String) -> Data { varint(UInt64(text.utf8.count)) + Data(text.utf8) }

    private mutating func begin(_ id: Int, _ kind: Kind) {
        precondition((1...15).contains(id - lastID), "fields have ascending ids")
        fields.append(UInt8(id - lastID) << 4 | kind.rawValue)
        lastID = id
    }

    mutating func add(_ id: Int, isTrue: Bool) { begin(id, isTrue ? .yes : .no) }

    mutating func add(_ id: Int, int32 number: Int) {
        begin(id, .int32)
        fields += Self.zigzag(number)
    }

    mutating func add(_ id: Int, int64 number: Int) {
        begin(id, .int64)
        fields += Self.zigzag(number)
    }

    mutating func add(_ id: Int, text: String) {
        begin(id, .binary)
        fields += Self.bytes(of: text)
    }

    mutating func add(_ id: Int, structure: ThriftStruct) {
        begin(id, .structure)
        fields += structure.data
    }

    mutating func add(_ id: Int, int32s numbers: [Int]) {
        addList(id, .int32, numbers.map(Self.zigzag))
    }

    mutating func add(_ id: Int, texts: [String]) { addList(id, .binary, texts.map(Self.bytes)) }

    mutating func add(_ id: Int, structures: [ThriftStruct]) {
        addList(id, .structure, structures.map(\.data))
    }

    private mutating func addList(_ id: Int, _ kind: Kind, _ elements: [Data]) {
        begin(id, .list)
        if elements.count < 15 {
            fields.append(UInt8(elements.count) << 4 | kind.rawValue)
        } else {
            fields.append(0xF0 | kind.rawValue)
            fields += Self.varint(UInt64(elements.count))
        }
        for element in elements { fields += element }
    }
}

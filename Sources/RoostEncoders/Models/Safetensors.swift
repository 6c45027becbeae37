import Foundation
import RoostFiles
import RoostModel

/// A file of named tensors, memory-mapped: eight bytes of header length, a JSON header, then the numbers
/// (https://github.com/huggingface/safetensors#format). Every claim of the header is checked against the
/// file.
struct Safetensors: Sendable {
    struct Tensor: Sendable, Hashable {
        var shape: [Int]
        var type: Number
        /// Bytes from the start of the file.
        var bytes: Range<Int>
    }

    /// How the numbers of a tensor are kept.
    enum Number: String, Sendable {
        case float32 = "F32"
        case float16 = "F16"
        case bfloat16 = "BF16"
        case int8 = "I8"
        case float64 = "F64"
        /// Position numbers, which some versions save along and nothing reads.
        case int64 = "I64"
        case int32 = "I32"

        var size: Int {
            switch self {
            case .int8: 1
            case .float16, .bfloat16: 2
            case .float32, .int32: 4
            case .float64, .int64: 8
            }
        }
    }

    private struct Description: Decodable {
        var dtype: String
        var shape: [Int]
        var dataOffsets: [Int]

        enum CodingKeys: String, CodingKey {
            case dtype, shape
            case dataOffsets = "data_offsets"
        }
    }

    /// A header or its metadata entry, which is no tensor.
    private struct HeaderItem: Decodable {
        var tensor: Description?

        init(from decoder: any Decoder) throws {
            if decoder.codingPath.last?.stringValue == "__metadata__" { return }
            tensor = try Description(from: decoder)
        }
    }

    let file: MappedFile
    let tensors: [String: Tensor]
    private let name: String
    private let converted = Conversions()

    /// The largest header that is read: the format's own limit.
    private static let largestHeader = 100_000_000

    init(_ url: URL) throws {
        file = try MappedFile(url)
        name = url.lastPathComponent
        let size = file.bytes.count
        guard size >= 8 else { throw Self.damaged(name, "has \(size) bytes, too few for a header") }
        let length = UInt64(littleEndian: file.bytes.loadUnaligned(as: UInt64.self))
        guard length <= UInt64(min(size - 8, Self.largestHeader)) else {
            throw Self.damaged(name, "claims a header of \(length) bytes in a file of \(size)")
        }
        let start = 8 + Int(length)
        let header: [String: HeaderItem]
        do {
            header = try JSONDecoder().decode([String: HeaderItem].self, from: Data(file.bytes[8..<start]))
        } catch {
            throw Self.damaged(name, "has a header that is not the JSON of the format")
        }
        var tensors: [String: Tensor] = [:]
        for case (let tensorName, let description?) in header.mapValues(\.tensor) {
            tensors[tensorName] = try Self.check(
                tensorName, description, start: start, size: size, file: name)
        }
        var end = 0
        for (tensorName, tensor) in tensors.sorted(by: {
            $0.value.bytes.lowerBound < $1.value.bytes.lowerBound
        }) {
            guard tensor.bytes.lowerBound >= end else {
                throw Self.damaged(name, "has a tensor \(Self.quoted(tensorName)) that overlaps another")
            }
            end = tensor.bytes.upperBound
        }
        self.tensors = tensors
    }

    /// The numbers of a tensor of the given shape.
    ///
    /// - Parameter allowing: how they may be kept; others are refused by name.
    func floats(
        _ tensorName: String, shape: [Int], allowing: Set<Number> = [.float32, .float16, .bfloat16]
    ) throws -> UnsafePointer<Float> {
        guard let tensor = tensors[tensorName] else {
            throw Self.damaged(name, "has no tensor \(Self.quoted(tensorName))")
        }
        guard tensor.shape == shape else {
            throw Self.damaged(
                name,
                "has \(Self.quoted(tensorName)) as \(tensor.shape) where the configuration says \(shape)")
        }
        let bytes = UnsafeRawBufferPointer(rebasing: file.bytes[tensor.bytes])
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            throw Self.damaged(name, "has an empty tensor \(Self.quoted(tensorName))")
        }
        guard allowing.contains(tensor.type) else {
            throw EmbedderError(
                .unsupportedModel,
                "\(name): tensor \(Self.quoted(tensorName)) is \(tensor.type.rawValue), "
                    + "which is not supported there")
        }
        if tensor.type == .float32 { return start.assumingMemoryBound(to: Float.self) }
        guard let numbers = converted.numbers(of: tensorName, bytes, tensor.type) else {
            throw Self.damaged(
                name, "has \(Self.quoted(tensorName)) as whole numbers where weights should be")
        }
        return numbers
    }

    /// Whether every number of the tensors is finite.
    ///
    /// - Complexity: reads the whole file.
    func checkNumbers() throws {
        for (tensorName, tensor) in tensors.sorted(by: {
            $0.value.bytes.lowerBound < $1.value.bytes.lowerBound
        }) {
            let bytes = UnsafeRawBufferPointer(rebasing: file.bytes[tensor.bytes])
            guard bytes.isEmpty || Conversions.isFinite(bytes, tensor.type) else {
                throw Self.damaged(name, "has numbers in \(Self.quoted(tensorName)) that are not finite")
            }
        }
    }

    private static func check(
        _ tensorName: String, _ description: Description, start: Int, size: Int, file: String
    ) throws -> Tensor {
        guard let type = Number(rawValue: description.dtype) else {
            throw EmbedderError(
                .unsupportedModel,
                "\(file): tensor \(quoted(tensorName)) is \(quoted(description.dtype)), "
                    + "which is not supported; "
                    + "F32, F16, BF16 and, for static models, F64 and I8 are")
        }
        var count = type.size
        for extent in description.shape {
            let (product, overflow) = count.multipliedReportingOverflow(by: extent)
            guard extent >= 0, !overflow else {
                throw damaged(file, "has an impossible shape in \(quoted(tensorName))")
            }
            count = product
        }
        let offsets = description.dataOffsets
        guard offsets.count == 2, offsets[0] >= 0, offsets[0] <= offsets[1], offsets[1] <= size - start else {
            throw damaged(
                file, "has a tensor \(quoted(tensorName)) that lies outside the file: is it cut short?")
        }
        guard offsets[1] - offsets[0] == count else {
            throw damaged(
                file,
                "has \(offsets[1] - offsets[0]) bytes for \(quoted(tensorName)), whose shape needs \(count)")
        }
        guard (start + offsets[0]) % type.size == 0 else {
            throw damaged(file, "has a tensor \(quoted(tensorName)) that is not aligned")
        }
        return Tensor(
            shape: description.shape, type: type,
            bytes: start + offsets[0]..<start + offsets[1])
    }

    private static func quoted(_ text: String) -> String { "'\(text.prefix(80))'" }

    private static func damaged(_ file: String, _ what: String) -> EmbedderError {
        EmbedderError(.damagedModel, "\(file) \(what)")
    }
}

extension Safetensors {
    /// A tensor to be written.
    struct Named {
        var name: String
        var type: Number
        var shape: [Int]
        /// Row-major, little-endian.
        var data: Data

        init(_ name: String, _ type: Number, _ shape: [Int], _ data: Data) {
            precondition(data.count == shape.reduce(type.size, *), "shape and numbers differ")
            (self.name, self.type, self.shape, self.data) = (name, type, shape, data)
        }
    }

    /// The bytes of a file of tensors.
    static func file(of tensors: [Named]) throws -> Data {
        struct Header: Encodable {
            var dtype: String
            var shape: [Int]
            var data_offsets: [Int]
        }
        var (header, place): ([String: Header], Int) = ([:], 0)
        for tensor in tensors {
            header[tensor.name] = Header(
                dtype: tensor.type.rawValue, shape: tensor.shape,
                data_offsets: [place, place + tensor.data.count])
            place += tensor.data.count
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        var json = try encoder.encode(header)
        // The numbers begin at a multiple of eight bytes, as the format asks.
        while json.count % 8 != 0 { json.append(UInt8(ascii: " ")) }
        return tensors.reduce(withUnsafeBytes(of: UInt64(json.count).littleEndian) { Data($0) } + json) {
            $0 + $1.data
        }
    }
}

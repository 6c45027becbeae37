import Foundation
import RoostFiles
import RoostModel
import RoostText
import Synchronization

/// A memory-mapped file of named tensors in the safetensors format: the header length in eight bytes, a JSON
/// header, and the numbers (https://github.com/huggingface/safetensors#format).
///
/// All sizes and offsets in the header are validated against the file.
struct Safetensors: Sendable {
    struct Tensor: Sendable, Hashable {
        var shape: [Int]
        var type: Number
        var bytes: Range<Int>
    }

    enum Number: String, Sendable {
        case float32 = "F32"
        case float16 = "F16"
        case bfloat16 = "BF16"
        case int8 = "I8"
        case float64 = "F64"
        /// Some library versions store position ids as integers. No encoder reads them.
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

    /// An entry of the header that describes a tensor.
    private struct Description {
        var dtype: String?
        var shape: [Int]?
        var dataOffsets: [Int]?

        init(_ reader: inout JSONReader) throws {
            try reader.object { reader, name in
                switch name {
                case "dtype": dtype = try reader.string()
                case "shape": shape = try Self.integers(&reader)
                case "data_offsets": dataOffsets = try Self.integers(&reader)
                default: _ = try reader.skipValue()
                }
            }
        }

        private static func integers(_ reader: inout JSONReader) throws -> [Int] {
            var integers: [Int] = []
            try reader.array { reader in integers.append(try reader.integer()) }
            return integers
        }
    }

    let file: MappedFile
    let tensors: [String: Tensor]
    private let name: String
    private let converted = Conversions()

    private static let maximumHeaderSize = 100_000_000

    /// Maps a file and validates its header.
    init(_ url: URL) throws {
        file = try MappedFile(url)
        name = url.path
        let size = file.bytes.count
        guard size >= 8 else {
            throw Self.damaged(name, "is truncated: it has \(size) bytes, too few for a header")
        }
        let length = UInt64(littleEndian: file.bytes.loadUnaligned(as: UInt64.self))
        guard length <= UInt64(size - 8) else {
            throw Self.damaged(name, "states a header of \(length) bytes, but the file has \(size)")
        }
        guard length <= UInt64(Self.maximumHeaderSize) else {
            throw Self.damaged(
                name,
                "states a header of \(length) bytes; the maximum of the format is \(Self.maximumHeaderSize)")
        }
        let start = 8 + Int(length)
        var descriptions: [(name: String, Description)] = []
        do {
            // `JSONDecoder` takes ten times as long.
            var reader = JSONReader(UnsafeRawBufferPointer(rebasing: file.bytes[8..<start]))
            try reader.object { reader, tensorName in
                if tensorName == "__metadata__" {
                    _ = try reader.skipValue()
                } else {
                    descriptions.append((tensorName, try Description(&reader)))
                }
            }
            try reader.expectEnd()
        } catch {
            throw Self.damaged(name, "has a header that is not valid JSON")
        }
        var tensors: [String: Tensor] = [:]
        for (tensorName, description) in descriptions {
            tensors[tensorName] = try Self.check(
                tensorName, description, start: start, size: size, file: name)
        }
        var end = 0
        self.tensors = tensors
        for (tensorName, tensor) in sortedTensors {
            guard tensor.bytes.lowerBound >= end else {
                throw Self.damaged(name, "has a tensor \(Self.quoted(tensorName)) that overlaps another")
            }
            end = tensor.bytes.upperBound
        }
    }

    private var sortedTensors: [(key: String, value: Tensor)] {
        tensors.sorted { $0.value.bytes.lowerBound < $1.value.bytes.lowerBound }
    }

    /// Returns the numbers of a tensor, converted to Float32 if necessary.
    func floats(
        _ tensorName: String, shape: [Int], allowing: Set<Number> = [.float32, .float16, .bfloat16]
    ) throws -> UnsafePointer<Float> {
        guard let tensor = tensors[tensorName] else {
            throw Self.damaged(name, "lacks the tensor \(Self.quoted(tensorName))")
        }
        guard tensor.shape == shape else {
            throw Self.damaged(
                name,
                "has the tensor \(Self.quoted(tensorName)) with shape \(tensor.shape), but the configuration "
                    + "requires \(shape)")
        }
        let bytes = UnsafeRawBufferPointer(rebasing: file.bytes[tensor.bytes])
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            throw Self.damaged(name, "has an empty tensor \(Self.quoted(tensorName))")
        }
        guard allowing.contains(tensor.type) else {
            throw EmbedderError(
                .unsupportedModel,
                "\(name): the type \(tensor.type.rawValue) of tensor \(Self.quoted(tensorName)) is not "
                    + "supported")
        }
        if tensor.type == .float32 { return start.assumingMemoryBound(to: Float.self) }
        return converted.numbers(of: tensorName, bytes, tensor.type)
    }

    func checkNumbers() throws {
        for (tensorName, tensor) in sortedTensors {
            let bytes = UnsafeRawBufferPointer(rebasing: file.bytes[tensor.bytes])
            guard bytes.isEmpty || Conversions.isFinite(bytes, tensor.type) else {
                throw Self.damaged(
                    name, "has numbers that are not finite in the tensor \(Self.quoted(tensorName))")
            }
        }
    }

    private static func check(
        _ tensorName: String, _ description: Description, start: Int, size: Int, file: String
    ) throws -> Tensor {
        guard let dtype = description.dtype, let shape = description.shape,
            let offsets = description.dataOffsets
        else { throw damaged(file, "has an incomplete description of the tensor \(quoted(tensorName))") }
        guard let type = Number(rawValue: dtype) else {
            throw EmbedderError(
                .unsupportedModel,
                "\(file): the type \(quoted(dtype)) of tensor \(quoted(tensorName)) is not "
                    + "supported; supported are F32, F16, BF16 and, for static models, F64 and I8")
        }
        var count = type.size
        for extent in shape {
            let (product, overflow) = count.multipliedReportingOverflow(by: extent)
            guard extent >= 0, !overflow else {
                throw damaged(file, "has a tensor \(quoted(tensorName)) with an invalid shape")
            }
            count = product
        }
        guard offsets.count == 2, offsets[0] >= 0, offsets[0] <= offsets[1], offsets[1] <= size - start else {
            throw damaged(
                file,
                "has a tensor \(quoted(tensorName)) whose data_offsets are invalid or beyond the end of the "
                    + "file")
        }
        guard offsets[1] - offsets[0] == count else {
            throw damaged(
                file,
                "has \(offsets[1] - offsets[0]) bytes for the tensor \(quoted(tensorName)), whose shape "
                    + "requires \(count)")
        }
        guard (start + offsets[0]) % type.size == 0 else {
            throw damaged(file, "has a misaligned tensor \(quoted(tensorName))")
        }
        return Tensor(shape: shape, type: type, bytes: start + offsets[0]..<start + offsets[1])
    }

    private static func quoted(_ text: String) -> String { "'\(text.prefix(80))'" }

    private static func damaged(_ file: String, _ fault: String) -> EmbedderError {
        EmbedderError(.damagedModel, "\(file) \(fault)", remedy: .installModel)
    }
}

/// Tensors that a file stores in a type other than Float32, converted to Float32 on first access.
///
/// Unchecked because the compiler cannot verify that an array is not written after it has been filled.
final class Conversions: @unchecked Sendable {
    /// The address of the converted numbers of each tensor.
    private let known = Mutex<[String: UInt]>([:])

    /// Returns the converted numbers of a tensor; they live as long as this object.
    func numbers(of name: String, _ raw: UnsafeRawBufferPointer, _ type: Safetensors.Number)
        -> UnsafePointer<Float>
    {
        let address: UInt = known.withLock { known in
            if let found = known[name] { return found }
            let numbers = UnsafeMutablePointer<Float>.allocate(capacity: raw.count / type.size)
            Self.convert(raw, type, into: numbers)
            known[name] = UInt(bitPattern: numbers)
            return UInt(bitPattern: numbers)
        }
        return UnsafePointer(bitPattern: address)!
    }

    private static func convert(
        _ raw: UnsafeRawBufferPointer, _ type: Safetensors.Number, into numbers: UnsafeMutablePointer<Float>
    ) {
        // `Safetensors` has checked that the bytes are aligned for their type.
        func each<T>(_: T.Type, _ convert: (T) -> Float) {
            for (index, number) in raw.assumingMemoryBound(to: T.self).enumerated() {
                numbers[index] = convert(number)
            }
        }
        switch type {
        case .float32: each(Float.self) { $0 }
        case .float64: each(Double.self) { Float($0) }
        case .float16: each(UInt16.self, halfPrecision)
        case .bfloat16: each(UInt16.self) { Float(bitPattern: UInt32($0) << 16) }
        case .int8: each(Int8.self) { Float($0) }
        case .int32, .int64: preconditionFailure("no weights are integers of 32 or 64 bits")
        }
    }

    /// Returns whether all numbers are finite; integers always are.
    static func isFinite(_ raw: UnsafeRawBufferPointer, _ type: Safetensors.Number) -> Bool {
        guard type != .int8, type != .int32, type != .int64 else { return true }
        // x - x is 0 for finite numbers and NaN otherwise. The compiler vectorizes a sum, but not a loop that
        // exits early.
        func sum<T>(_: T.Type, _ read: (T) -> Float) -> Bool {
            raw.assumingMemoryBound(to: T.self).reduce(Float(0)) { $0 + (read($1) - read($1)) } == 0
        }
        return switch type {
        case .float32: sum(Float.self) { $0 }
        case .float64: sum(Double.self) { Float($0) }
        case .float16: sum(UInt16.self, halfPrecision)
        default: sum(UInt16.self) { Float(bitPattern: UInt32($0) << 16) }
        }
    }

    /// Converts from IEEE 754 binary16. Swift's Float16 is not available on every platform.
    static func halfPrecision(_ bits: UInt16) -> Float {
        let (sign, exponent, fraction) = (
            UInt32(bits >> 15) << 31, UInt32(bits >> 10 & 31), UInt32(bits & 1023)
        )
        switch exponent {
        case 0: return (sign == 0 ? 1 : -1) * Float(fraction) * 0x1p-24
        case 31: return Float(bitPattern: sign | 0x7F80_0000 | fraction << 13)
        default: return Float(bitPattern: sign | (exponent + 112) << 23 | fraction << 13)
        }
    }

    deinit {
        known.withLock { known in
            for address in known.values { UnsafeMutablePointer<Float>(bitPattern: address)?.deallocate() }
        }
    }
}

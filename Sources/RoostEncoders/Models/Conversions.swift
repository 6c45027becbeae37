import Synchronization

/// Numbers of tensors that are kept in another form than Float32, converted when they are first asked for.
///
/// Unchecked because the compiler cannot see that an array is not written after it was filled.
final class Conversions: @unchecked Sendable {
    private let known = Mutex<[String: UInt]>([:])

    /// - Returns: `nil` where the tensor has numbers that are no weights.
    func numbers(of name: String, _ raw: UnsafeRawBufferPointer, _ type: Safetensors.Number)
        -> UnsafePointer<Float>?
    {
        guard let read = Self.reader(type) else { return nil }
        let address = known.withLock { known in
            if let found = known[name] { return found }
            let count = raw.count / type.size
            let numbers = UnsafeMutablePointer<Float>.allocate(capacity: count)
            for index in 0..<count { numbers[index] = read(raw, index * type.size) }
            known[name] = UInt(bitPattern: numbers)
            return UInt(bitPattern: numbers)
        }
        return UnsafePointer(bitPattern: address)
    }

    /// Whether all numbers are finite; whole numbers are.
    static func isFinite(_ raw: UnsafeRawBufferPointer, _ type: Safetensors.Number) -> Bool {
        guard let read = reader(type) else { return true }
        // A sum of what is 0 for finite numbers and not a number for others: loops without exits are vectorised.
        if type == .float32 {
            var sum: Float = 0
            for number in raw.assumingMemoryBound(to: Float.self) { sum += number - number }
            return sum == 0
        }
        return stride(from: 0, to: raw.count, by: type.size).allSatisfy { read(raw, $0).isFinite }
    }

    private static func reader(_ type: Safetensors.Number) -> ((UnsafeRawBufferPointer, Int) -> Float)? {
        switch type {
        case .float32: { $0.loadUnaligned(fromByteOffset: $1, as: Float.self) }
        case .float64: { Float($0.loadUnaligned(fromByteOffset: $1, as: Double.self)) }
        case .float16: { halfPrecision($0.loadUnaligned(fromByteOffset: $1, as: UInt16.self)) }
        case .bfloat16:
            { Float(bitPattern: UInt32($0.loadUnaligned(fromByteOffset: $1, as: UInt16.self)) << 16) }
        case .int8: { Float($0.loadUnaligned(fromByteOffset: $1, as: Int8.self)) }
        case .int32, .int64: nil
        }
    }

    /// IEEE 754 binary16, written out because Swift's Float16 is not there on every platform.
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

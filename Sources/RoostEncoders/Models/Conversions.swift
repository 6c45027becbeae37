import Synchronization

/// Tensors that a file stores in a type other than Float32, converted to Float32 on first access.
///
/// Unchecked because the compiler cannot verify that an array is not written after it has been filled.
final class Conversions: @unchecked Sendable {
    /// The address of the converted numbers of each tensor.
    private let known = Mutex<[String: UInt]>([:])

    /// Returns the converted numbers of a tensor; they live as long as this object.
    ///
    /// - Returns: `nil` if the type is an integer type that is not used for weights.
    func numbers(of name: String, _ raw: UnsafeRawBufferPointer, _ type: Safetensors.Number)
        -> UnsafePointer<Float>?
    {
        let address: UInt? = known.withLock { known in
            if let found = known[name] { return found }
            let numbers = UnsafeMutablePointer<Float>.allocate(capacity: raw.count / type.size)
            guard Self.convert(raw, type, into: numbers) else {
                numbers.deallocate()
                return nil
            }
            known[name] = UInt(bitPattern: numbers)
            return UInt(bitPattern: numbers)
        }
        return address.flatMap { UnsafePointer(bitPattern: $0) }
    }

    /// Converts numbers to Float32.
    ///
    /// - Returns: `false` if the type is an integer type that is not used for weights.
    private static func convert(
        _ raw: UnsafeRawBufferPointer, _ type: Safetensors.Number, into numbers: UnsafeMutablePointer<Float>
    ) -> Bool {
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
        case .int32, .int64: return false
        }
        return true
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

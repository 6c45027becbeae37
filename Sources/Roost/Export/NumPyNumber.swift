/// A type of numbers of NumPy: its kind, its size and the order of its bytes.
struct NumPyNumber {
    private enum Kind: Character {
        case signed = "i"
        case unsigned = "u"
        case floating = "f"
    }

    private let kind: Kind
    /// The number of bytes of a number.
    let size: Int
    private let isBigEndian: Bool

    /// Reads the name of a type, such as `<f4`; `nil` for types that are not read.
    init?(_ name: String) {
        guard let order = name.first, "<>|=".contains(order),
            let kind = name.dropFirst().first.flatMap(Kind.init), let size = Int(name.dropFirst(2)),
            [1, 2, 4, 8].contains(size), kind != .floating || size > 1
        else { return nil }
        self.kind = kind
        self.size = size
        isBigEndian = order == ">"
    }

    /// Returns the number at an offset.
    func number(in raw: UnsafeRawBufferPointer, at offset: Int) -> Float {
        switch (kind, size) {
        case (.floating, 2): Self.half(bits(raw, offset))
        case (.floating, 4): Float(bitPattern: bits(raw, offset))
        case (.floating, _): Float(Double(bitPattern: bits(raw, offset)))
        case (.signed, 1): Float(Int8(bitPattern: bits(raw, offset)))
        case (.signed, 2): Float(Int16(bitPattern: bits(raw, offset)))
        case (.signed, 4): Float(Int32(bitPattern: bits(raw, offset)))
        case (.signed, _): Float(Int64(bitPattern: bits(raw, offset)))
        case (.unsigned, 1): Float(bits(raw, offset) as UInt8)
        case (.unsigned, 2): Float(bits(raw, offset) as UInt16)
        case (.unsigned, 4): Float(bits(raw, offset) as UInt32)
        case (.unsigned, _): Float(bits(raw, offset) as UInt64)
        }
    }

    private func bits<Bits: FixedWidthInteger & BitwiseCopyable>(
        _ raw: UnsafeRawBufferPointer, _ offset: Int
    ) -> Bits {
        let bits = raw.loadUnaligned(fromByteOffset: offset, as: Bits.self)
        return isBigEndian ? Bits(bigEndian: bits) : Bits(littleEndian: bits)
    }

    /// Returns the number of 16 bits. Swift has no `Float16` on Macs with Intel processors.
    private static func half(_ bits: UInt16) -> Float {
        let sign: Float = bits >> 15 == 0 ? 1 : -1
        let exponent = Int(bits >> 10 & 0x1F)
        let fraction = Float(bits & 0x3FF) / 1024
        switch exponent {
        case 0: return sign * fraction * 0x1p-14
        case 0x1F: return fraction == 0 ? sign * .infinity : .nan
        default: return sign * Float(sign: .plus, exponent: exponent - 15, significand: 1 + fraction)
        }
    }
}

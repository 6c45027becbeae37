package import Foundation

/// Reads vectors that other programs store as bytes.
package enum VectorBytes {
    /// Returns the vector of little-endian `Float32` numbers. Up to three trailing bytes are ignored.
    package static func float32(_ bytes: Data) -> [Float] {
        bytes.withUnsafeBytes { buffer in
            (0..<buffer.count / 4).map {
                Float(
                    bitPattern: UInt32(
                        littleEndian: buffer.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)))
            }
        }
    }
}

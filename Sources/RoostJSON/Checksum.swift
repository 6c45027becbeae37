import Foundation
import RoostFiles

/// Computes SHA-256 checksums as strings of hexadecimal digits.
enum Checksum {
    static func hexadecimal(_ data: some ContiguousBytes) -> String { Hexadecimal.text(SHA256.hash(data)) }
}

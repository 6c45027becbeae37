import Crypto
import Foundation
import RoostFiles

/// Computes SHA-256 checksums as strings of hexadecimal digits.
enum Checksum {
    static func hexadecimal(_ data: some DataProtocol) -> String {
        Hexadecimal.text(SHA256.hash(data: data))
    }

    static func hexadecimal(_ bytes: UnsafeRawBufferPointer) -> String {
        var hash = SHA256()
        hash.update(bufferPointer: bytes)
        return Hexadecimal.text(hash.finalize())
    }
}

import Crypto
import Foundation

/// Computes SHA-256 checksums as strings of hexadecimal digits.
enum Checksum {
    static func hexadecimal(_ data: some DataProtocol) -> String {
        hexadecimal(SHA256.hash(data: data))
    }

    static func hexadecimal(_ bytes: UnsafeRawBufferPointer) -> String {
        var hash = SHA256()
        hash.update(bufferPointer: bytes)
        return hexadecimal(hash.finalize())
    }

    private static func hexadecimal(_ digest: SHA256.Digest) -> String {
        digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

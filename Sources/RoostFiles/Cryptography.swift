import CCrypto
package import Foundation

/// SHA-256 (FIPS 180-4), computed with libcrypto.
package struct SHA256: ~Copyable {
    /// The algorithm. Looking it up once is faster than `EVP_sha256()`, which looks it up for each digest. It is
    /// not changed after it was found, so threads can share it.
    nonisolated(unsafe) private static let algorithm = EVP_MD_fetch(nil, "SHA256", nil)
    private let context = EVP_MD_CTX_new()

    package init() { check(EVP_DigestInit_ex(context, Self.algorithm, nil)) }

    deinit { EVP_MD_CTX_free(context) }

    package func update(_ bytes: UnsafeRawBufferPointer) {
        check(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count))
    }

    package func update(_ data: some ContiguousBytes) { data.withUnsafeBytes { update($0) } }

    /// Returns the digest of the bytes, 32 bytes. The value cannot be used afterwards.
    package consuming func finalize() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            check(EVP_DigestFinal_ex(context, buffer.baseAddress, nil))
            count = 32
        }
    }

    package static func hash(_ data: some ContiguousBytes) -> [UInt8] {
        let hash = SHA256()
        hash.update(data)
        return hash.finalize()
    }

    package static func hexadecimal(_ data: some ContiguousBytes) -> String { Hexadecimal.text(hash(data)) }

    /// Returns the authentication code of `data` (HMAC-SHA-256, RFC 2104), 32 bytes.
    package static func authenticationCode(of data: some ContiguousBytes, key: [UInt8]) -> [UInt8] {
        data.withUnsafeBytes { data in
            [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
                let code = HMAC(
                    EVP_sha256(), key, Int32(key.count), data.bindMemory(to: UInt8.self).baseAddress,
                    data.count,
                    buffer.baseAddress, nil)
                precondition(code != nil, "libcrypto cannot compute an authentication code")
                count = 32
            }
        }
    }

    /// Returns a key of 32 bytes for one purpose, derived from another key (HKDF, RFC 5869, without a salt).
    package static func derivedKey(from key: [UInt8], purpose: String) -> [UInt8] {
        let extracted = authenticationCode(of: key, key: [UInt8](repeating: 0, count: 32))
        return authenticationCode(of: Array(purpose.utf8) + [1], key: extracted)
    }
}

package enum SHA1 {
    /// Returns the digest of consecutive parts, 20 bytes.
    package static func hash(_ data: [UnsafeRawBufferPointer]) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        check(EVP_DigestInit_ex(context, EVP_sha1(), nil))
        for bytes in data { check(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)) }
        return [UInt8](unsafeUninitializedCapacity: 20) { buffer, count in
            check(EVP_DigestFinal_ex(context, buffer.baseAddress, nil))
            count = 20
        }
    }
}

/// A key that is derived from a passphrase with scrypt (RFC 7914).
package enum Scrypt {
    /// - Parameter rounds: The parameter N, a power of two.
    /// - Returns: A key of 32 bytes; `nil` if the parameters are invalid or require more than 1 GiB of
    ///   memory.
    package static func key(
        from passphrase: String, salt: Data, rounds: Int, blockSize: Int, parallelism: Int
    ) -> [UInt8]? {
        var key = [UInt8](repeating: 0, count: 32)
        let status = passphrase.utf8CString.withUnsafeBufferPointer { passphrase in
            EVP_PBE_scrypt(
                passphrase.baseAddress, passphrase.count - 1, Array(salt), salt.count, UInt64(rounds),
                UInt64(blockSize), UInt64(parallelism), 1 << 30, &key, key.count)
        }
        return status == 1 ? key : nil
    }
}

/// Encryption with authentication: ChaCha20-Poly1305 (RFC 8439).
///
/// The encrypted form is `nonce (12 bytes) · ciphertext · tag (16 bytes)`.
package enum ChaChaPoly {
    private static let (nonceSize, tagSize) = (12, 16)

    /// - Parameter name: Bytes that are authenticated, but not stored.
    package static func seal(_ data: Data, key: [UInt8], authenticating name: Data = Data()) -> Data {
        var generator = SystemRandomNumberGenerator()
        let nonce = (0..<nonceSize).map { _ in generator.next() as UInt8 }
        let context = context(key, nonce, name, isEncryption: true)
        defer { EVP_CIPHER_CTX_free(context) }
        let ciphertext = transform(data, context)
        precondition(finish(context), "libcrypto cannot encrypt")
        var tag = [UInt8](repeating: 0, count: tagSize)
        check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagSize), &tag))
        return Data(nonce) + ciphertext + tag
    }

    /// - Returns: `nil` if the bytes or the name are not those that were encrypted with this key.
    package static func open(_ sealed: Data, key: [UInt8], authenticating name: Data = Data()) -> Data? {
        guard sealed.count >= nonceSize + tagSize else { return nil }
        let context = context(key, Array(sealed.prefix(nonceSize)), name, isEncryption: false)
        defer { EVP_CIPHER_CTX_free(context) }
        let data = transform(sealed.dropFirst(nonceSize).dropLast(tagSize), context)
        var tag = Array(sealed.suffix(tagSize))
        check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagSize), &tag))
        return finish(context) ? data : nil
    }

    private static func context(
        _ key: [UInt8], _ nonce: [UInt8], _ name: Data, isEncryption: Bool
    ) -> OpaquePointer? {
        precondition(key.count == 32, "a key has 32 bytes")
        let context = EVP_CIPHER_CTX_new()
        check(EVP_CipherInit_ex(context, EVP_chacha20_poly1305(), nil, key, nonce, isEncryption ? 1 : 0))
        var count: Int32 = 0
        check(EVP_CipherUpdate(context, nil, &count, Array(name), Int32(name.count)))
        return context
    }

    /// The maximum number of bytes of one call of libcrypto, which counts them with 32 bits.
    private static let partSize = 1 << 30

    private static func transform(_ data: Data, _ context: OpaquePointer?) -> Data {
        var result = Data(count: data.count)
        result.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { input in
                for start in stride(from: 0, to: input.count, by: partSize) {
                    var count = Int32(min(partSize, input.count - start))
                    check(
                        EVP_CipherUpdate(
                            context, output.bindMemory(to: UInt8.self).baseAddress?.advanced(by: start),
                            &count,
                            input.bindMemory(to: UInt8.self).baseAddress?.advanced(by: start), count))
                }
            }
        }
        return result
    }

    private static func finish(_ context: OpaquePointer?) -> Bool {
        var (count, last) = (Int32(0), [UInt8](repeating: 0, count: 16))
        return EVP_CipherFinal_ex(context, &last, &count) == 1
    }
}

/// These calls fail only without memory, or if libcrypto was built without the algorithm.
private func check(_ status: Int32) {
    precondition(status == 1, "libcrypto cannot compute a digest or a cipher")
}

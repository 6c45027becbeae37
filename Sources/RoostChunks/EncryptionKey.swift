/// A key of 256 bits, with which ``EncryptedRetrieval`` encrypts chunks.
public struct EncryptionKey: Sendable {
    /// The number of bytes of a key.
    public static let size = 32
    package let bytes: [UInt8]

    /// Creates a random key.
    public init() {
        var generator = SystemRandomNumberGenerator()
        bytes = (0..<Self.size).map { _ in generator.next() }
    }

    /// Creates a key from its bytes.
    ///
    /// - Precondition: There are ``size`` bytes.
    public init(bytes: [UInt8]) {
        precondition(bytes.count == Self.size, "a key has \(Self.size) bytes, not \(bytes.count)")
        self.bytes = bytes
    }
}

import RoostFiles

/// The SHA-256 digest of the UTF-8 bytes of a text. Texts with the same digest can share an embedding.
public struct ContentDigest: Sendable, Hashable {
    // The digest is stored inline and not in an array, because a store keeps one digest per entry in memory.
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    private var third: UInt64 = 0
    private var fourth: UInt64 = 0

    /// Creates the digest of a text.
    public init(of text: String) {
        self.init(bytes: SHA256.hash(Array(text.utf8)))
    }

    /// Creates a digest from its bytes.
    ///
    /// - Precondition: `bytes` has 32 elements.
    public init(bytes: [UInt8]) {
        precondition(bytes.count == 32, "a SHA-256 digest has 32 bytes, not \(bytes.count)")
        withUnsafeMutableBytes(of: &self) { $0.copyBytes(from: bytes) }
    }

    /// The 32 bytes of the digest.
    public var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }

    /// The digest as 64 lower-case hexadecimal digits.
    public var hexadecimal: String {
        Hexadecimal.text(bytes)
    }
}

/// A chunk in a list of the chunks of a storage.
public struct ListedChunk: Sendable, Hashable {
    /// The path of the chunk.
    public var path: String
    /// The size of the chunk in bytes; `nil` if the storage does not know it without reading the chunk.
    public var size: Int?

    /// Creates a list element.
    public init(path: String, size: Int? = nil) { (self.path, self.size) = (path, size) }
}

/// The limits of the resources that a reader may use for one file.
public struct DocumentLimits: Sendable, Hashable {
    /// The maximum number of bytes of extracted text, of any part of an archive after decompression, and of a
    /// file of data or markup, such as JSON, XML or HTML.
    public var maximumTextBytes = 64 << 20
    /// The maximum number of bytes that all parts of an archive may have after decompression.
    public var maximumArchiveBytes = 256 << 20
    /// The maximum number of parts of an archive, messages of a mailbox, or elements of a document.
    public var maximumParts = 100_000
    /// The maximum number of levels of nested elements, archives or messages.
    public var maximumDepth = 200
    /// The maximum elapsed time for the separate programs that read one document.
    public var maximumTime = Duration.seconds(60)
    /// The maximum memory in bytes that a separate program may use to read a document.
    public var maximumProgramMemory = 1 << 30

    /// Creates the default limits.
    public init() {}
}

/// A parser for one transcript format.
///
/// A file contains a sequence of JSON values: records in a JSON Lines file, or conversations in an export. A
/// parser reads one value at a time.
protocol TranscriptParser: SendableMetatype {
    /// The format that the parser reads.
    static var format: TranscriptFile.Format { get }

    /// Returns whether a value is in this format.
    static func recognizes(_ value: JSONValue) -> Bool

    /// Reads a value and adds its messages to a builder. If there are no messages, reports the reason
    /// instead.
    ///
    /// - Parameters:
    ///   - value: A value that this parser recognizes.
    ///   - location: The location of the value in the file, such as `line 3`.
    ///   - builder: Collects the result.
    static func parse(_ value: JSONValue, at location: String, into builder: inout TranscriptBuilder)
}

import RoostConversations

/// A parser of one format of transcripts.
///
/// A file contains a sequence of JSON values: the records of a JSON Lines file, or the conversations of an
/// export. A parser reads one of them at a time.
protocol TranscriptParser {
    /// The format that the parser reads.
    static var format: TranscriptFile.Format { get }

    /// Returns whether a value is in this format.
    static func recognizes(_ value: JSONValue) -> Bool

    /// Reads a value: adds its messages, or the reason why there are none, to a builder.
    ///
    /// - Parameters:
    ///   - value: A value that this parser recognizes.
    ///   - location: The location of the value in the file, such as `line 3`.
    ///   - builder: Collects the result.
    static func parse(_ value: JSONValue, at location: String, into builder: inout TranscriptBuilder)
}

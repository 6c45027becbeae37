/// The conversations in a file.
public struct TranscriptFile: Sendable, Hashable {
    /// A record or conversation that could not be read completely.
    public struct Problem: Sendable, Hashable, Encodable {
        /// The location in the file, such as `line 3` or `conversation 2, message 5`.
        public var location: String
        /// The problem, phrased as a predicate whose subject is the location, such as `is not a JSON object`.
        public var reason: String
        /// Whether the record was skipped. If `false`, the record was read, but an invalid value was ignored.
        public var isSkipped = true

        enum CodingKeys: String, CodingKey {
            case location = "place"
            case reason, isSkipped
        }
    }

    /// A file format.
    public enum Format: String, Sendable, Hashable, Encodable {
        /// A Claude Code transcript in JSON Lines format.
        case claudeCode
        /// The file `conversations.json` of a ChatGPT export.
        case chatGPT
        /// The file `conversations.json` of a Claude.ai export.
        case claude
        /// JSON Lines with one object `{role, content, timestamp?}` per line, or an array of such objects.
        case jsonLines
    }

    /// The format of the file.
    public var format: Format
    /// The conversations, in the order of their first messages.
    public var transcripts: [Transcript] = []
    /// The problems, in the order of their locations.
    public var problems: [Problem] = []
    /// The number of records that contain no conversation text, such as tool results, summaries and settings.
    public var omitted = 0
}

/// The conversations in a file.
public struct TranscriptFile: Sendable, Hashable {
    /// A record or conversation that could not be read completely.
    public struct Problem: Sendable, Hashable, Encodable {
        /// The location in the file, such as `line 3` or `conversation 2, message 5`.
        public var location: String
        /// The problem, as a predicate of the location: `is not a JSON object`.
        public var reason: String
        /// Whether the record was skipped. Otherwise, it was read without the invalid value.
        public var isSkipped = true

        enum CodingKeys: String, CodingKey {
            case location = "place"
            case reason, isSkipped
        }
    }

    /// A file format.
    public enum Format: String, Sendable, Hashable, Encodable {
        /// A transcript of Claude Code in JSON Lines.
        case claudeCode
        /// `conversations.json` of an export from ChatGPT.
        case chatGPT
        /// `conversations.json` of an export from Claude.ai.
        case claude
        /// JSON Lines of `{role, content, timestamp?}`.
        case jsonLines
    }

    /// The format of the file.
    public var format: Format
    /// The conversations, in the order of their first messages.
    public var transcripts: [Transcript] = []
    /// The problems, in the order of their locations.
    public var problems: [Problem] = []
    /// The number of records that contain no text of a conversation: results of tools, summaries, settings.
    public var omitted = 0
}

/// The format of a stored text, which determines its sections and the parts that are not embedded.
public enum TextFormat: Sendable, Hashable {
    /// Text without markup.
    case plain
    /// Markdown (CommonMark with the extensions of GitHub and Obsidian).
    case markdown
    /// The text of a message, in which lines that begin with `>` are quotations, and a signature follows a
    /// line with two hyphens and a space.
    case mail
    /// Source code, or data such as JSON.
    case code
}
